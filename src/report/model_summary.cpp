#include "report/model_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate.h"
#include "report/table.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

struct OperatorRow {
  std::size_t count = 0;
  double flops = 0;
  double bytes = 0;
  std::string kind;
};

/// Everything that is summed while walking the graph and its bodies.
struct Totals {
  std::map<std::string, OperatorRow> operators;
  std::map<std::string, std::set<std::string>> opaque;  // reason by operator
  double parameters = 0, parameter_bytes = 0;
  double flops = 0, activation_bytes = 0;
  std::size_t nodes = 0, uncosted = 0, unknown_shapes = 0;
  std::set<const Graph*> skipped;  // branches that cannot run
};

/// Why hone does not look inside a node; empty when it does.
std::string opaque_reason(const Model& model, const Node& node, const Opsets& opsets) {
  if (model.function(node.op) != nullptr) return {};
  const OpEntry* entry = OpTable::instance().find(node.op);
  if (entry == nullptr)
    return node.op->domain.empty() ? "unknown operator" : fmt::format("custom domain '{}'", node.op->domain);
  if (definition_of(node, opsets).entry == nullptr)
    return fmt::format("not defined in opset {} of '{}'", opsets.version(node.op->domain), node.op->domain);
  return {};
}

/// Integers wider than a byte are shapes and indices; the rest are weights, quantised ones included.
void add_parameter(const Tensor& tensor, Totals& totals) {
  if (!is_floating(tensor.type()) && bit_width(tensor.type()) > 8) return;
  totals.parameters += static_cast<double>(tensor.count());
  totals.parameter_bytes += static_cast<double>(tensor.bytes().size());
}

void add_graph(const Model& model, const Graph& graph, const Opsets& opsets, Totals& totals) {
  if (totals.skipped.contains(&graph)) return;
  for (const ValueId id : graph.initializers()) add_parameter(*graph.value(id).constant, totals);
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    ++totals.nodes;
    OperatorRow& row = totals.operators[node.op->text()];
    ++row.count;
    const OpEntry* entry = definition_of(node, opsets).entry;
    row.kind = entry ? name_of(entry->kind) : model.function(node.op) != nullptr ? "function" : "opaque";
    if (const std::string reason = opaque_reason(model, node, opsets); !reason.empty())
      totals.opaque[node.op->text()].insert(reason);
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      const auto bytes = byte_size(graph.value(output).type);
      totals.activation_bytes += static_cast<double>(bytes.value_or(0));
      if (graph.value(output).type.is_tensor() && !graph.value(output).type.is_static_tensor()) ++totals.unknown_shapes;
      if (graph.value(output).type.kind == Type::Kind::unknown) ++totals.unknown_shapes;
    }
    if (const auto cost = node_cost(graph, id, opsets)) {
      row.flops += cost->flops;
      row.bytes += cost->bytes;
      totals.flops += cost->flops;
    } else {
      ++totals.uncosted;
    }
    for (const Attribute& attribute : *node.attributes) {
      if (const auto* body = std::get_if<SharedGraph>(&attribute.value)) add_graph(model, **body, opsets, totals);
      if (const auto* held = std::get_if<Tensor>(&attribute.value)) add_parameter(*held, totals);
    }
  }
}

Json signature(const Graph& graph, std::span<const ValueId> ids) {
  Json list = Json::array();
  for (const ValueId id : ids)
    list.push_back({{"name", graph.value(id).name},
                    {"type", text_of(graph.value(id).type)},
                    {"default", graph.value(id).constant.has_value()}});
  return list;
}

std::set<std::string> dynamic_dims(const Graph& graph) {
  std::set<std::string> dims;
  for (const ValueId id : graph.inputs())
    for (const Dim d : graph.value(id).type.shape)
      if (!d.known()) dims.insert(d.unknown() ? fmt::format("{} has an unnamed one", graph.value(id).name) : d.text());
  return dims;
}

std::string figure(const Json& value, std::string_view unit) {
  return value.is_null() ? "unknown until all shapes are" : with_prefix(value.get<double>(), unit);
}

/// `  placed       hone: 40 nodes on gpu:0, 25 nodes on gpu:1`.
std::string placement_text(const Json& placement) {
  std::vector<std::string> parts;
  for (const auto& [device, count] : placement["nodes"].items())
    parts.push_back(fmt::format("{} nodes on {}", count.get<std::size_t>(), device));
  if (const auto count = placement["nodes_on_several"].get<std::size_t>(); count > 0)
    parts.push_back(fmt::format("{} nodes on several devices", count));
  return fmt::format("  placed       {}: {}\n", placement["configuration"].get<std::string>(), fmt::join(parts, ", "));
}

}  // namespace

Json summarize(const Model& model, const KnownContents& known) {
  Totals totals;
  Json unrunnable = Json::array();
  for (const UnrunnableBody& each : known.unrunnable) {
    totals.skipped.insert(each.body.get());
    unrunnable.push_back({{"branch", each.body->name}, {"why", each.reason}});
  }
  add_graph(model, model.graph, model.opsets, totals);
  Json opsets = Json::object();
  for (const auto& [domain, version] : model.opsets.imports) opsets[domain.empty() ? "ai.onnx" : domain] = version;
  Json operators = Json::array(), opaque = Json::array();
  for (const auto& [name, row] : totals.operators)
    operators.push_back(
        {{"operator", name}, {"count", row.count}, {"kind", row.kind}, {"flops", row.flops}, {"bytes", row.bytes}});
  std::stable_sort(operators.begin(), operators.end(),
                   [](const Json& a, const Json& b) { return a["flops"] > b["flops"]; });
  for (const auto& [name, reasons] : totals.opaque)
    opaque.push_back({{"operator", name}, {"why", fmt::format("{}", fmt::join(reasons, "; "))}});
  const bool complete = totals.uncosted == 0;
  return {{"model", model.source},
          {"ir_version", model.ir_version ? Json(*model.ir_version) : Json()},
          {"opset", opsets},
          {"producer", model.producer_name.value_or("")},
          {"nodes", totals.nodes},
          {"functions", model.functions.size()},
          {"parameters", totals.parameters},
          {"parameter_bytes", totals.parameter_bytes},
          {"flops", complete ? Json(totals.flops) : Json()},
          {"activation_bytes", complete ? Json(totals.activation_bytes) : Json()},
          {"inputs", signature(model.graph, model.graph.inputs())},
          {"outputs", signature(model.graph, model.graph.outputs())},
          {"dynamic_dims", dynamic_dims(model.graph)},
          {"values_of_unknown_shape", totals.unknown_shapes},
          {"unrunnable", unrunnable},
          {"opaque", opaque},
          {"operators", operators}};
}

std::string summary_text(const Json& summary) {
  std::string text = fmt::format("{}\n", summary["model"].get<std::string>());
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : summary["opset"].items())
    opsets.push_back(fmt::format("{} {}", domain, version.dump()));
  text += fmt::format("  IR {}, opset {}{}\n", summary["ir_version"].dump(), fmt::join(opsets, ", "),
                      summary["producer"] == "" ? "" : ", from " + summary["producer"].get<std::string>());
  text += fmt::format("  nodes        {}\n", summary["nodes"].get<std::size_t>());
  text += fmt::format("  parameters   {} ({})\n", with_prefix(summary["parameters"], ""),
                      with_prefix(summary["parameter_bytes"], "B"));
  text += fmt::format("  arithmetic   {}\n", figure(summary["flops"], "flop"));
  text += fmt::format("  activations  {}\n", figure(summary["activation_bytes"], "B"));
  for (const auto& input : summary["inputs"])
    if (!input["default"].get<bool>())
      text +=
          fmt::format("  input        {}: {}\n", input["name"].get<std::string>(), input["type"].get<std::string>());
  for (const auto& output : summary["outputs"])
    text +=
        fmt::format("  output       {}: {}\n", output["name"].get<std::string>(), output["type"].get<std::string>());
  if (!summary["dynamic_dims"].empty())
    text += fmt::format("  dynamic      {} (fix with --dim NAME=SIZE)\n",
                        fmt::join(summary["dynamic_dims"].get<std::vector<std::string>>(), ", "));
  if (summary["values_of_unknown_shape"] != 0)
    text += fmt::format("  {} values have a shape that is not known before running\n",
                        summary["values_of_unknown_shape"].get<std::size_t>());
  for (const auto& each : summary["unrunnable"])
    text += fmt::format("  not runnable branch '{}': {}\n", each["branch"].get<std::string>(),
                        each["why"].get<std::string>());
  for (const auto& opaque : summary["opaque"])
    text +=
        fmt::format("  opaque       {}: {}\n", opaque["operator"].get<std::string>(), opaque["why"].get<std::string>());
  for (const auto& placement : summary.value("placements", Json::array())) text += placement_text(placement);
  Table table({"operator", "count", "kind", "arithmetic", "memory"});
  for (const auto& row : summary["operators"])
    table.add({row["operator"], std::to_string(row["count"].get<std::size_t>()), row["kind"],
               with_prefix(row["flops"], "flop"), with_prefix(row["bytes"], "B")});
  return text + "\n" + table.text();
}

}  // namespace hone
