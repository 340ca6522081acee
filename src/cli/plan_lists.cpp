#include "cli/plan_lists.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/columns.h"
#include "cli/examples.h"
#include "plan/session/compare.h"
#include "plan/session/plan_request.h"
#include "report/json_line.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

struct ListArguments {
  std::string name;
  bool json = false;
};

/// A line a name: what there is to choose from, and what to choose by.
struct Choice {
  std::string name, meaning;
};

constexpr std::size_t kMeaningColumn = 24;

ExitCode print_choices(const std::vector<Choice>& choices, const ListArguments& given, const std::string& remark) {
  if (given.json) {
    Json list = Json::array();
    for (const Choice& choice : choices) list.push_back({{"name", choice.name}, {"summary", choice.meaning}});
    fmt::print("{}", json_line(list));
    return ExitCode::done;
  }
  for (const Choice& choice : choices) fmt::print("{}", beside(choice.name, choice.meaning, kMeaningColumn));
  fmt::print("\n{}", page_text(remark));
  return ExitCode::done;
}

template <class Kind>
std::vector<Choice> choices_of() {
  std::vector<Choice> choices;
  for (const Kind* kind : Kind::all()) choices.push_back({std::string(kind->name()), std::string(kind->summary())});
  return choices;
}

/// A parameter as its list writes it: `  population=60  chromosomes of a generation`.
std::vector<Choice> parameters_of(const OptimizerKind& kind) {
  std::vector<Choice> parameters;
  for (const std::string& line : CLI::detail::split(kind.help(), '\n')) {
    const std::size_t begin = line.find_first_not_of(' ');
    const std::size_t end = line.find("  ", begin);
    if (end != std::string::npos) parameters.push_back({line.substr(begin, end - begin), line.substr(end + 2)});
  }
  return parameters;
}

ExitCode show_optimizer(const OptimizerKind& kind, const ListArguments& given) {
  if (given.json) {
    Json parameters = Json::object();
    for (const Choice& each : parameters_of(kind)) {
      const std::size_t equals = each.name.find('=');
      parameters[each.name.substr(0, equals)] = {{"default", each.name.substr(equals + 1)}, {"meaning", each.meaning}};
    }
    fmt::print("{}", json_line(Json{{"name", kind.name()}, {"summary", kind.summary()}, {"parameters", parameters}}));
    return ExitCode::done;
  }
  fmt::print("{}", page_text(fmt::format("{}: {}", kind.name(), kind.summary())));
  for (const Choice& each : parameters_of(kind)) fmt::print("{}", beside(each.name, each.meaning, kMeaningColumn));
  return ExitCode::done;
}

ExitCode list_optimizers(const ListArguments& given) {
  if (!given.name.empty()) return show_optimizer(OptimizerKind::named(given.name), given);
  return print_choices(choices_of<OptimizerKind>(), given,
                       fmt::format("`hone plan optimizers NAME` shows parameters; --optimize NAME:key=value,... sets "
                                   "them, and A+B runs one after another. Unless given: {}.",
                                   usual_optimizers()));
}

ExitCode list_tasks(const ListArguments& given) {
  return print_choices(
      choices_of<TaskKind>(), given,
      "--tasks A,B decides several together; unless given, what matters to the objective and, where time does, "
      "kernels as well on machines with a runtime that obeys them (native-1, native-2).");
}

ExitCode list_objectives(const ListArguments& given) {
  return print_choices({{"fit", "time, of plans that fit into memory"},
                        {"seconds", "time, as if memory had no end"},
                        {"memory", "the most that any one device holds"},
                        {"throughput", "largest load of a device while samples follow one another"},
                        {"latency", "one sample through calls of devices"}},
                       given,
                       "--objective A,B compares plans by B where they are equal by A; A*0.7+B*0.3 weighs both, "
                       "relative to the plan in which nothing is decided.");
}

}  // namespace

std::function<std::function<ExitCode()>()> add_plan_lists(CLI::App& plan) {
  struct List {
    CLI::App* command;
    ExitCode (*print)(const ListArguments&);
  };
  auto given = std::make_shared<ListArguments>();
  const std::vector<List> lists{
      {plan.add_subcommand("optimizers", "What --optimize can be, with parameters"), list_optimizers},
      {plan.add_subcommand("tasks", "What --tasks can be"), list_tasks},
      {plan.add_subcommand("objectives", "What --objective can be"), list_objectives}};
  for (const List& list : lists) {
    const std::string line = "hone plan " + list.command->get_name();
    list.command->add_flag("--json", given->json, "JSON instead of text");
    add_examples(*list.command, {{line, "names and what they stand for"}, {line + " --json", "for a program"}});
  }
  lists.front().command->add_option("name", given->name, "One of them: its parameters");
  add_examples(*lists.front().command,
               {{"hone plan optimizers", "names and what they do"}, {"hone plan optimizers brkga", "its parameters"}});
  return [given, lists]() -> std::function<ExitCode()> {
    for (const List& list : lists)
      if (list.command->parsed()) return [given, list] { return list.print(*given); };
    return nullptr;
  };
}

}  // namespace hone
