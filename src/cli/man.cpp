#include <fmt/format.h>

#include <filesystem>

#include "base/output_file.h"
#include "cli/command_lookup.h"
#include "cli/man_page.h"
#include "cli/output_arguments.h"
#include "cli/verb.h"

namespace hone {
namespace {

/// One page a command, where `man` looks for them.
void write_pages(const DescribedCommand& tool, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const DescribedCommand* command : all_commands(tool)) {
    OutputFile file(folder / man_file(*command));
    file.write(man_page(*command));
    file.commit();
  }
}

std::function<ExitCode()> setup_man(CLI::App& command) {
  struct Given {
    std::vector<std::string> words;
    OutputArguments output;
  };
  auto given = std::make_shared<Given>();
  command.add_option("command", given->words, "Which command, such as `plan memory`; unless given, the tool itself");
  given->output.add_folder_to(command, "Instead, write the pages of all commands into this folder");
  add_examples(command,
               {{"hone man plan", "for man -l -"}, {"hone man -o ~/.local/share/man/man1", "so that man finds them"}});
  return [given, &command] {
    const DescribedCommand tool = describe_tool(command);
    const OutputTarget target = given->output.target();
    if (!target.wanted()) fmt::print("{}", man_page(find_command(tool, given->words)));
    return told(target.save([&](const std::filesystem::path& folder) { write_pages(tool, folder); }));
  };
}

const Verb man("man", Topic::tool, "Manual pages, made from the same text as help", setup_man);

}  // namespace
}  // namespace hone
