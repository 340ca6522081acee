#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/command_lookup.h"
#include "cli/help_text.h"
#include "cli/verb.h"

namespace hone {
namespace {

/// Parses every example there is, each as if it had been typed. Throws InputError (usage) for the first that is wrong.
std::size_t check_examples(const DescribedCommand& tool) {
  std::size_t count = 0;
  for (const DescribedCommand* command : all_commands(tool)) {
    if (command->examples.empty()) fail_usage("`{}` has no example", command->title());
    for (const Example& example : command->examples) {
      CommandLine line;
      try {
        line.app().parse(example.line, true);
      } catch (const CLI::ParseError& error) {
        fail_usage("`{}`: {}", example.line, error.what());
      }
      ++count;
    }
  }
  return count;
}

std::function<ExitCode()> setup_help(CLI::App& command) {
  struct Given {
    std::vector<std::string> words;
    bool check = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("command", given->words, "Which command, such as `plan memory`; unless given, all of them");
  command.add_flag("--check", given->check, "Instead, check that every example of every command can be parsed");
  add_examples(command, {{"hone help", "all commands"}, {"hone help plan memory", "one of them"}});
  return [given, &command] {
    const DescribedCommand tool = describe_tool(command);
    if (given->check) fmt::print("{} examples can be parsed\n", check_examples(tool));
    else fmt::print("{}", help_text(find_command(tool, given->words)));
    return ExitCode::done;
  };
}

const Verb help_verb("help", Topic::tool, "How commands are used", setup_help);

}  // namespace
}  // namespace hone
