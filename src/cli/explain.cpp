#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/verb.h"
#include "deliver/package.h"
#include "report/delivery.h"
#include "report/json_line.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainArguments {
  std::string model, node;
  bool json = false;
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

const Json* origin_of(const Json& description, const std::string& node) {
  const auto nodes = description.find("nodes");
  if (nodes == description.end() || !nodes->is_array()) return nullptr;
  for (const Json& each : *nodes)
    if (each.is_object() && each.value("node", "") == node) return &each;
  return nullptr;
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

std::string name_in_description(const Model& model, const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const ValueId output : node.outputs)
    if (output.valid()) return model.graph.value(output).name;
  return {};
}

Json explain_node(const Model& model, const Json& description, const std::string& wanted) {
  const Node* node = find_node(model.graph, wanted);
  if (node == nullptr) fail_usage("there is no node '{}' in the model", wanted);
  Json object{{"node", wanted}, {"operator", node->op->text()}, {"rule", ""}, {"from", Json::array({wanted})}};
  if (const Json* origin = origin_of(description, name_in_description(model, *node))) object.update(*origin);
  return object;
}

std::string node_text(const Json& object) {
  const std::string rule = object["rule"];
  if (rule.empty())
    return fmt::format("{} ({}) is a node of the original\n", object["node"].get<std::string>(),
                       object["operator"].get<std::string>());
  return fmt::format("{} ({}) was made by rule {} from {}\n", object["node"].get<std::string>(),
                     object["operator"].get<std::string>(), rule,
                     fmt::join(object["from"].get<std::vector<std::string>>(), ", "));
}

ExitCode explain(const ExplainArguments& given) {
  const Model model = load_model(given.model);
  const Json description = description_of(model, given.model);
  if (!given.node.empty()) {
    const Json object = explain_node(model, description, given.node);
    fmt::print("{}", given.json ? json_line(object) : node_text(object));
    return ExitCode::done;
  }
  if (given.json) {
    fmt::print("{}", json_line(description));
    return ExitCode::done;
  }
  fmt::print("{}", decisions_text(description["decisions"]));
  if (const auto options = description.find("runtime_options"); options != description.end() && options->is_object())
    fmt::print("\nrun it with {}\n", options->dump());
  for (const Origin& origin : made_by_rules(model.graph))
    fmt::print("{} <- {} ({})\n", origin.node, fmt::join(origin.from, ", "), origin.rule);
  return ExitCode::done;
}

std::function<ExitCode()> setup_explain(CLI::App& command) {
  auto given = std::make_shared<ExplainArguments>();
  command.add_option("model", given->model, "Model that `hone optimize` wrote")->required();
  command.add_option("node", given->node, "A node, by its name or that of an output: where it comes from");
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  add_examples(command, {{"hone explain model.hone.onnx", "decisions and their reasons"},
                         {"hone explain model.hone.onnx conv1", "where a node comes from"}});
  return [given] { return explain(*given); };
}

const Verb explain_verb("explain", Topic::models,
                        "Say what was decided about an optimised model, and where its nodes come from", setup_explain);

}  // namespace
}  // namespace hone
