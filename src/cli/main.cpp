#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/sentence.h"
#include "base/version.h"
#include "cli/usage_mistake.h"
#include "cli/verb.h"
#include "report/json_line.h"

namespace hone {
namespace {

/// Errors go to stderr as a sentence; with --json they are also an object on stdout, for whoever reads that.
int report(const std::string& message, ExitCode code, bool json) {
  if (json)
    fmt::print("{}", json_line(nlohmann::json{{"error", {{"code", static_cast<int>(code)}, {"message", message}}}}));
  fmt::print(stderr, "hone: {}\n", one_line(message));
  return static_cast<int>(code);
}

int run_verb(int argc, char** argv) {
  CLI::App app("Give it an ONNX model and a machine; get a faster model, the plan, and the proof.", "hone");
  app.set_version_flag("--version", fmt::format("hone {} ({})", version(), commit()));
  app.require_subcommand(0, 1);
  std::vector<std::pair<CLI::App*, std::function<ExitCode()>>> actions;
  for (const Verb* verb : Verb::all()) {
    CLI::App* command = app.add_subcommand(std::string(verb->name()), std::string(verb->summary()));
    actions.emplace_back(command, verb->setup(*command));
  }
  const bool json = std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; });
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(usage_mistake(error, app), ExitCode::usage, json);
  }
  for (const auto& [command, action] : actions) {
    if (!command->parsed()) continue;
    try {
      return static_cast<int>(action());
    } catch (const InputError& error) {
      return report(error.what(), error.code(), json);
    } catch (const std::bad_alloc&) {
      return report("out of memory", ExitCode::internal_error, json);
    } catch (const std::exception& error) {
      return report(fmt::format("internal error: {}", error.what()), ExitCode::internal_error, json);
    }
  }
  fmt::print("{}", app.help());
  return 0;
}

}  // namespace

}  // namespace hone

int main(int argc, char** argv) { return hone::run_verb(argc, argv); }
