#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/sentence.h"
#include "base/version.h"
#include "cli/verb.h"
#include "report/json_line.h"

namespace hone {
namespace {

std::vector<const Verb*>& registered() {
  static std::vector<const Verb*> verbs;
  return verbs;
}

/// Errors go to stderr as a sentence; with --json they are also an object on stdout, for whoever reads that.
int report(const std::string& message, ExitCode code, bool json) {
  if (json)
    fmt::print("{}", json_line(nlohmann::json{{"error", {{"code", static_cast<int>(code)}, {"message", message}}}}));
  fmt::print(stderr, "hone: {}\n", one_line(message));
  return static_cast<int>(code);
}

/// Letters to insert, remove or replace to get from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// `, did you mean 'inspect'?` when a verb is close to what was typed.
std::string suggestion(std::string_view typed) {
  for (const Verb* verb : Verb::all())
    if (edit_distance(typed, verb->name()) <= 2) return fmt::format(", did you mean '{}'?", verb->name());
  return {};
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
    const bool unknown_verb = argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-';
    if (unknown_verb)
      return report(fmt::format("unknown command '{}'{}", argv[1], suggestion(argv[1])), ExitCode::usage, json);
    return report(error.what(), ExitCode::usage, json);
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

Verb::Verb(std::string_view name, std::string_view summary, Setup setup)
    : name_(name), summary_(summary), setup_(std::move(setup)) {
  registered().push_back(this);
}

std::vector<const Verb*> Verb::all() {
  std::vector<const Verb*> verbs = registered();
  std::ranges::sort(verbs, {}, &Verb::name);
  return verbs;
}

}  // namespace hone

int main(int argc, char** argv) { return hone::run_verb(argc, argv); }
