#include <fmt/format.h>

#include "cli/command_lookup.h"
#include "cli/completion_script.h"
#include "cli/verb.h"

namespace hone {
namespace {

std::function<ExitCode()> setup_completion(CLI::App& command) {
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash, zsh or fish")->required();
  add_examples(command, {{"hone completion bash", "source <(...) in ~/.bashrc"},
                         {"hone completion zsh", "as _hone in a folder of $fpath"},
                         {"hone completion fish", "... | source"}});
  return [shell, &command] {
    const DescribedCommand tool = describe_tool(command);
    if (*shell == "bash") fmt::print("{}", bash_completion(tool));
    else if (*shell == "zsh") fmt::print("{}", zsh_completion(tool));
    else if (*shell == "fish") fmt::print("{}", fish_completion(tool));
    else fail_usage("hone completion knows bash, zsh and fish, not '{:.60}'", *shell);
    return ExitCode::done;
  };
}

const Verb completion("completion", Topic::tool, "A script that makes a shell complete hone's words", setup_completion);

}  // namespace
}  // namespace hone
