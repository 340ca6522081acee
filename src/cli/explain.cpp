#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "base/suggestion.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/verb.h"
#include "deliver/package.h"
#include "formats/source/planning_source.h"
#include "plan/fuse/check_fusion.h"
#include "plan/problem/plan_file.h"
#include "report/delivery.h"
#include "report/fitted.h"
#include "report/fusion_report.h"
#include "report/json_line.h"
#include "report/table.h"
#include "report/worth_report.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainArguments {
  std::string model, node, other;
  std::string plan, machine;
  DimOptions dims;
  bool nodes = false, json = false;
};

std::string entry_of(const Model& model, std::string_view key) {
  if (model.notes)
    for (const auto& [name, value] : model.notes->metadata)
      if (name == key) return value;
  return {};
}

/// What the model says of itself, with the figures of the file beside it where that is about the same original.
Json description_of(const Model& model, const std::string& file) {
  const std::string digest = entry_of(model, "hone.source_sha256");
  if (digest.empty()) fail("{}: this model was not written by `hone optimize`", file);
  std::ifstream beside(description_file(file));
  Json found = Json::parse(beside, nullptr, false);
  if (found.is_object() && found.value("source_sha256", "") == digest && found.contains("decisions")) return found;
  const auto parsed = [&](const char* key) {
    Json value = Json::parse(entry_of(model, key), nullptr, false);
    return value.is_discarded() ? Json() : value;
  };
  Json nodes = Json::array();
  for (const Origin& origin : made_by_rules(model.graph))
    nodes.push_back({{"node", origin.node}, {"rule", origin.rule}, {"from", origin.from}});
  return {{"source_sha256", digest},
          {"decisions", parsed("hone.decisions")},
          {"runtime_options", parsed("hone.runtime_options")},
          {"nodes", nodes}};
}

/// Where the nodes that rules made come from; a file beside a model may say anything.
std::vector<Origin> origins_in(const Json& description) {
  std::vector<Origin> origins;
  const auto nodes = description.find("nodes");
  if (nodes == description.end() || !nodes->is_array()) return origins;
  for (const Json& each : *nodes) {
    if (!each.is_object() || !each.contains("node") || !each["node"].is_string()) continue;
    Origin& origin = origins.emplace_back();
    origin.node = each["node"];
    if (each.contains("rule") && each["rule"].is_string()) origin.rule = each["rule"];
    if (each.contains("from") && each["from"].is_array())
      for (const Json& name : each["from"])
        if (name.is_string()) origin.from.push_back(name);
  }
  return origins;
}

/// A node goes by its name or by the name of one of its outputs.
const Node* find_node(const Graph& graph, const std::string& name) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.name == name) return &node;
    for (const ValueId output : node.outputs)
      if (output.valid() && graph.value(output).name == name) return &node;
  }
  return nullptr;
}

[[noreturn]] void fail_unknown_node(const Graph& graph, const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const NodeId id : graph.nodes()) {
    if (!graph.node(id).name.empty()) names.push_back(graph.node(id).name);
    for (const ValueId output : graph.node(id).outputs)
      if (output.valid()) names.push_back(graph.value(output).name);
  }
  fail_usage("the model has no node and no output of one called '{:.60}'{}", wanted, suggestion_or_all(wanted, names));
}

std::string name_in_description(const Model& model, const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const ValueId output : node.outputs)
    if (output.valid()) return model.graph.value(output).name;
  return {};
}

Json explain_node(const Model& model, const Json& description, const std::string& wanted) {
  const Node* node = find_node(model.graph, wanted);
  if (node == nullptr) fail_unknown_node(model.graph, wanted);
  Json object{{"node", wanted}, {"operator", node->op->text()}, {"rule", ""}, {"from", Json::array({wanted})}};
  const std::vector<Origin> origins = origins_in(description);
  const auto origin = std::ranges::find(origins, name_in_description(model, *node), &Origin::node);
  if (origin != origins.end()) object.update({{"node", origin->node}, {"rule", origin->rule}, {"from", origin->from}});
  return object;
}

std::string node_text(const Json& object) {
  const std::string rule = object["rule"];
  if (rule.empty())
    return fitted(fmt::format("{} ({}) is a node of the original", object["node"].get<std::string>(),
                              object["operator"].get<std::string>()));
  return fitted(fmt::format("{} ({}) was made by rule {} from {}", object["node"].get<std::string>(),
                            object["operator"].get<std::string>(), rule,
                            fmt::join(object["from"].get<std::vector<std::string>>(), ", ")));
}

/// How many nodes every rule made.
std::string rules_text(const std::vector<Origin>& origins) {
  if (origins.empty()) return "no node was made by a rule\n";
  std::map<std::string, std::size_t> made;
  for (const Origin& origin : origins) ++made[origin.rule];
  Table table({{"rule", Fit::wrapped}, "nodes it made"});
  for (const auto& [rule, count] : made) table.add({rule, fmt::to_string(count)});
  return table.text() + fitted("--nodes lists the nodes and what they stand for, the name of a node tells of one");
}

std::string nodes_text(const std::vector<Origin>& origins) {
  Table table({"node", {"rule", Fit::wrapped}, "stands for"});
  for (const Origin& origin : origins)
    table.add({origin.node, origin.rule, fmt::format("{}", fmt::join(origin.from, ", "))});
  return table.text();
}

std::string description_text(const Json& description, const ExplainArguments& given) {
  const std::vector<Origin> origins = origins_in(description);
  std::string text = decisions_text(description["decisions"]) + "\n";
  text += given.nodes && !origins.empty() ? nodes_text(origins) : rules_text(origins);
  if (const auto options = description.find("runtime_options"); options != description.end() && options->is_object())
    text += "\n" + fitted("run it with " + options->dump(-1, ' ', false, Json::error_handler_t::replace));
  return text;
}

/// An operation goes by its name or by the name of one of its results.
OperationId operation_named(const Workload& workload, const std::string& wanted) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    names.push_back(workload.operation(OperationId(i)).name);
    for (const BufferId output : workload.outputs(OperationId(i))) names.push_back(workload.buffer(output).name);
    if (std::ranges::find(names, wanted) != names.end()) return OperationId(i);
  }
  fail_usage("{} has no operation and no result of one called '{:.60}'{}", workload.name, wanted,
             suggestion(wanted, names));
}

/// The decisions of a plan that matter most.
ExitCode explain_decisions(const ExplainArguments& given, Problem& problem, const Plan& plan) {
  constexpr std::size_t kDecisions = 10;
  problem.objective = Objective::seconds;
  if (plan.group_of.empty() && problem.machine.device_count() == 1)
    fail_usage("{}: every operation is a kernel of its own on one device; nothing was decided", given.plan);
  const ValuedDecisions found = most_valuable_decisions(problem, plan, kDecisions);
  fmt::print("{}", given.json ? json_line(worth_json(problem, found)) : worth_text(problem, found));
  return ExitCode::done;
}

/// The kernels of a plan: two operations, or what matters most.
ExitCode explain_plan(const ExplainArguments& given) {
  if (given.other.empty() && !given.node.empty())
    fail_usage("--plan needs two operations, to say why they share a kernel or do not, or none");
  PlanningSource source = open_operations(given.model, given.dims);
  Problem problem{.machine = machine_for(source, given.machine, given.plan)};
  problem.workload = std::move(source.workload);
  const Plan plan = load_plan(given.plan, problem.workload, problem.machine);
  if (given.node.empty()) return explain_decisions(given, problem, plan);
  if (plan.group_of.empty())
    fail_usage("{}: every operation is a kernel of its own; --tasks fuse plans others", given.plan);
  if (const std::optional<std::string> flaw = check_fusion(problem, plan)) fail_usage("{}: {}", given.plan, *flaw);
  const OperationId one = operation_named(problem.workload, given.node);
  const OperationId other = operation_named(problem.workload, given.other);
  if (one == other) fail_usage("'{}' and '{}' are the same operation", given.node, given.other);
  const FusionExplanation found = explain_fusion(problem, plan, one, other);
  fmt::print("{}", given.json ? json_line(fusion_json(problem, plan, found)) : fusion_text(problem, plan, found));
  return ExitCode::done;
}

ExitCode explain(const ExplainArguments& given) {
  if (!given.plan.empty()) return explain_plan(given);
  if (!given.other.empty()) fail_usage("two operations share a kernel in a plan or do not: --plan names it");
  const Model model = load_model(given.model);
  const Json description = description_of(model, given.model);
  if (!given.node.empty()) {
    const Json object = explain_node(model, description, given.node);
    fmt::print("{}", given.json ? json_line(object) : node_text(object));
    return ExitCode::done;
  }
  fmt::print("{}", given.json ? json_line(description) : description_text(description, given));
  return ExitCode::done;
}

std::function<ExitCode()> setup_explain(CLI::App& command) {
  auto given = std::make_shared<ExplainArguments>();
  command.add_option("model", given->model, "Model that `hone optimize` wrote; with --plan, what was planned")
      ->required();
  command.add_option("node", given->node, "A node, by its name or that of an output: where it comes from");
  command.add_option("other", given->other, "With --plan: why the two share a kernel, or do not");
  given->dims.add_to(command);
  CLI::Option* plan = command.add_option("--plan", given->plan, "Plan whose kernels are told of, see hone plan -o");
  command.add_option("--machine", given->machine, "What it was planned for, if it is not known by its name")
      ->needs(plan);
  command.add_flag("--nodes", given->nodes, "Every node that a rule made, and what it stands for")->excludes(plan);
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  add_examples(command, {{"hone explain model.hone.onnx", "decisions and their reasons"},
                         {"hone explain model.hone.onnx --nodes", "every node that a rule made"},
                         {"hone explain model.hone.onnx conv1", "where a node comes from"},
                         {"hone explain model.onnx --plan plan.json", "the ten decisions that matter most"},
                         {"hone explain model.onnx conv1 relu1 --plan plan.json", "why two share no kernel"}});
  return [given] { return explain(*given); };
}

const Verb explain_verb("explain", Topic::models, "Say what was decided about a model, and why", setup_explain);

}  // namespace
}  // namespace hone
