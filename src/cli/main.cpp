#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "base/sentence.h"
#include "cli/command_line.h"
#include "cli/common_options.h"
#include "cli/verb.h"
#include "report/json_line.h"

namespace hone {
namespace {

/// Errors go to stderr as a sentence; with --json they are also an object on stdout, for whoever reads that.
int report(const std::string& message, ExitCode code, bool json) {
  if (json) fmt::print("{}", json_line(nlohmann::json{{"error", {{"code", exit_status(code)}, {"message", message}}}}));
  fmt::print(stderr, "hone: {}\n", one_line(message));
  return exit_status(code);
}

/// `; did you mean 'inspect'?` when a verb is close to what was typed.
std::string suggested_verb(std::string_view typed) {
  std::vector<std::string_view> names;
  for (const Verb* verb : Verb::all()) names.push_back(verb->name());
  return suggestion(typed, names);
}

int run_verb(int argc, char** argv) {
  CommandLine line;
  CLI::App& app = line.app();
  const bool json = std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; });
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    const bool unknown_verb = argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-';
    if (unknown_verb)
      return report(fmt::format("unknown command '{}'{}", argv[1], suggested_verb(argv[1])), ExitCode::usage, json);
    const std::string renamed = renamed_option(app, {argv, static_cast<std::size_t>(argc)});
    return report(renamed.empty() ? error.what() : renamed, ExitCode::usage, json);
  }
  if (const std::function<ExitCode()> action = line.action()) {
    try {
      return exit_status(action());
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

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to tell of, as a full disk is
  return hone::run_verb(argc, argv);
}
