#include "cli/command_lookup.h"

#include "base/error.h"
#include "base/suggestion.h"

namespace hone {
namespace {

std::string_view last_of(std::string_view path) { return path.substr(path.rfind(' ') + 1); }

const DescribedCommand& find_below(const DescribedCommand& command, const std::string& word) {
  std::vector<std::string_view> names;
  for (const DescribedCommand& below : command.commands) {
    if (last_of(below.path) == word) return below;
    names.push_back(last_of(below.path));
  }
  if (names.empty()) fail_usage("`{}` has no commands below it, such as '{:.60}'", command.title(), word);
  fail_usage("there is no command '{:.60}' of `{}`{}", word, command.title(), suggestion_or_all(word, names));
}

}  // namespace

DescribedCommand describe_tool(const CLI::App& command) {
  return command.get_parent() == nullptr ? describe(command) : describe_tool(*command.get_parent());
}

const DescribedCommand& find_command(const DescribedCommand& tool, const std::vector<std::string>& words) {
  const DescribedCommand* found = &tool;
  for (const std::string& word : words) found = &find_below(*found, word);
  return *found;
}

}  // namespace hone
