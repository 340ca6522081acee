#include "cli/common_options.h"

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/verbosity.h"

namespace hone {
namespace {

/// Names of options before all commands had the same.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"--seconds", "--time"}, {"--out", "--output"}, {"--nodes", "--evals"}, {"--save-plan", "--output"}};

/// The command that was typed, as far as it was understood.
const CLI::App& typed_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

}  // namespace

void add_verbosity(CLI::App& command) {
  CLI::Option* quiet = command.add_flag_callback(
      "-q,--quiet", [] { set_verbosity(Verbosity::quiet); }, "Results and errors alone");
  command
      .add_flag_callback(
          "-v,--verbose", [] { set_verbosity(Verbosity::verbose); }, "Say every step, also where no terminal is")
      ->excludes(quiet);
  for (CLI::App* below : command.get_subcommands({})) add_verbosity(*below);
}

std::string renamed_option(const CLI::App& app, std::span<char* const> words) {
  const CLI::App& command = typed_command(app);
  const auto knows = [&](std::string_view option) {
    return command.get_option_no_throw(std::string(option)) != nullptr;
  };
  for (const std::string_view word : words)
    for (const auto& [old, now] : kRenamed)
      if (word.substr(0, word.find('=')) == old && knows(now) && !knows(old))
        return fmt::format("there is no option {}; use {}", old, now);
  return {};
}

int exit_status(ExitCode code) {
  constexpr int kSignals = 128;
  return code == ExitCode::interrupted ? kSignals + interrupting_signal() : static_cast<int>(code);
}

}  // namespace hone
