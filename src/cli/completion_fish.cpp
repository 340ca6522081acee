#include <fmt/format.h>

#include "cli/completion_script.h"

namespace hone {
namespace {

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// What a value can be, as `complete` takes it.
std::string fish_values(const std::vector<std::string>& choices, NamedPath path) {
  std::string text = path == NamedPath::file ? " -F" : " -f";
  std::string words = fmt::format("{}", fmt::join(choices, " "));
  if (path == NamedPath::folder) words += " (__fish_complete_directories)";
  if (!words.empty()) text += " -a " + fish_quoted(words);
  return text;
}

std::string fish_option(const std::string& begin, const DescribedOption& option) {
  std::string line = begin;
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  line += " -d " + fish_quoted(option.text);
  if (!option.value.empty()) line += " -r" + fish_values(option.choices, option.path);
  return line + "\n";
}

std::string fish_command(const DescribedCommand& command) {
  const std::string begin = fmt::format("complete -c hone -n '__hone_at \"{}\"'", script_path(command));
  std::string text;
  for (const DescribedOption& option : command.options) text += fish_option(begin, option);
  for (const DescribedCommand& below : command.commands)
    text += fmt::format("{} -a {} -d {}\n", begin, below.path.substr(below.path.rfind(' ') + 1),
                        fish_quoted(below.summary));
  const PlainWords words = plain_words(command);
  if (!words.choices.empty() || words.path != NamedPath::none)
    text += begin + fish_values(words.choices, words.path) + "\n";
  return text;
}

constexpr const char* kFishFunctions = R"(
function __hone_at --description 'Whether the command so far is the one given'
  set -l where ''
  for word in (commandline -opc)[2..-1]
    if contains -- "$where/$word" $__hone_paths
      set where "$where/$word"
    end
  end
  test "$where" = "$argv[1]"
end
complete -c hone -f
)";

}  // namespace

std::string fish_completion(const DescribedCommand& tool) {
  std::string paths, commands;
  for (const DescribedCommand* command : all_commands(tool)) {
    if (!command->path.empty()) paths += " " + script_path(*command);
    commands += fish_command(*command);
  }
  return "# Completion of hone in fish: hone completion fish | source\nset -g __hone_paths" + paths + kFishFunctions +
         commands;
}

}  // namespace hone
