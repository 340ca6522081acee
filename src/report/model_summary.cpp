#include "report/model_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate.h"
#include "report/fitted.h"
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
  totals.parameter_bytes += static_cast<double>(tensor.byte_count());
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

std::vector<ModelSummary::Port> ports(const Graph& graph, std::span<const ValueId> ids) {
  std::vector<ModelSummary::Port> list;
  for (const ValueId id : ids)
    list.push_back({.name = graph.value(id).name,
                    .type = text_of(graph.value(id).type),
                    .has_default = graph.value(id).constant.has_value()});
  return list;
}

std::set<std::string> dynamic_dims(const Graph& graph) {
  std::set<std::string> dims;
  for (const ValueId id : graph.inputs())
    for (const Dim d : graph.value(id).type.shape)
      if (!d.known()) dims.insert(d.unknown() ? fmt::format("{} has an unnamed one", graph.value(id).name) : d.text());
  return dims;
}

Json ports_json(const std::vector<ModelSummary::Port>& ports) {
  Json list = Json::array();
  for (const ModelSummary::Port& port : ports)
    list.push_back({{"name", port.name}, {"type", port.type}, {"default", port.has_default}});
  return list;
}

Json obstacles_json(const std::vector<ModelSummary::Obstacle>& obstacles, const char* called) {
  Json list = Json::array();
  for (const ModelSummary::Obstacle& each : obstacles) list.push_back({{called, each.what}, {"why", each.why}});
  return list;
}

Json operators_json(const std::vector<ModelSummary::Operator>& operators) {
  Json list = Json::array();
  for (const ModelSummary::Operator& each : operators)
    list.push_back({{"operator", each.name},
                    {"count", each.count},
                    {"kind", each.kind},
                    {"flops", each.flops},
                    {"bytes", each.bytes}});
  return list;
}

Json placements_json(const std::vector<PlacementSummary>& placements) {
  Json list = Json::array();
  for (const PlacementSummary& each : placements) {
    Json nodes = Json::object();
    for (const auto& [device, count] : each.nodes) nodes[device] = count;
    list.push_back(
        {{"configuration", each.configuration}, {"nodes", nodes}, {"nodes_on_several", each.nodes_on_several}});
  }
  return list;
}

std::string figure(const std::optional<double>& value, std::string_view unit) {
  return value ? with_prefix(*value, unit) : "unknown until all shapes are";
}

/// `hone: 40 nodes on gpu:0, 25 nodes on gpu:1`.
std::string placement_text(const PlacementSummary& placement) {
  std::vector<std::string> parts;
  for (const auto& [device, count] : placement.nodes) parts.push_back(fmt::format("{} nodes on {}", count, device));
  if (placement.nodes_on_several > 0)
    parts.push_back(fmt::format("{} nodes on several devices", placement.nodes_on_several));
  return fmt::format("{}: {}", placement.configuration, fmt::join(parts, ", "));
}

std::string signature_text(const ModelSummary& summary) {
  std::string text;
  for (const ModelSummary::Port& input : summary.inputs)
    if (!input.has_default) text += fact("input", fmt::format("{}: {}", input.name, input.type));
  for (const ModelSummary::Port& output : summary.outputs)
    text += fact("output", fmt::format("{}: {}", output.name, output.type));
  if (!summary.dynamic_dims.empty())
    text += fact("dynamic", fmt::format("{} (fix with --dim NAME=SIZE)", fmt::join(summary.dynamic_dims, ", ")));
  return text;
}

}  // namespace

ModelSummary summarize(const Model& model, const KnownContents& known) {
  Totals totals;
  ModelSummary summary{.model = model.source, .producer = model.producer_name.value_or("")};
  for (const UnrunnableBody& each : known.unrunnable) {
    totals.skipped.insert(each.body.get());
    summary.unrunnable.push_back({each.body->name, each.reason});
  }
  add_graph(model, model.graph, model.opsets, totals);
  summary.ir_version = model.ir_version;
  for (const auto& [domain, version] : model.opsets.imports)
    summary.opsets.emplace_back(domain.empty() ? "ai.onnx" : domain, version);
  for (const auto& [name, row] : totals.operators)
    summary.operators.push_back(
        {.name = name, .kind = row.kind, .count = row.count, .flops = row.flops, .bytes = row.bytes});
  std::ranges::stable_sort(summary.operators, std::greater{}, &ModelSummary::Operator::flops);
  for (const auto& [name, reasons] : totals.opaque)
    summary.opaque.push_back({name, fmt::format("{}", fmt::join(reasons, "; "))});
  if (totals.uncosted == 0) {
    summary.flops = totals.flops;
    summary.activation_bytes = totals.activation_bytes;
  }
  summary.nodes = totals.nodes;
  summary.functions = model.functions.size();
  summary.parameters = totals.parameters;
  summary.parameter_bytes = totals.parameter_bytes;
  summary.inputs = ports(model.graph, model.graph.inputs());
  summary.outputs = ports(model.graph, model.graph.outputs());
  const std::set<std::string> dims = dynamic_dims(model.graph);
  summary.dynamic_dims.assign(dims.begin(), dims.end());
  summary.values_of_unknown_shape = totals.unknown_shapes;
  return summary;
}

Json summary_json(const ModelSummary& summary, const std::vector<PlacementSummary>& placements) {
  Json opsets = Json::object();
  for (const auto& [domain, version] : summary.opsets) opsets[domain] = version;
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"model", summary.model},
          {"ir_version", or_null(summary.ir_version)},
          {"opset", opsets},
          {"producer", summary.producer},
          {"nodes", summary.nodes},
          {"functions", summary.functions},
          {"parameters", summary.parameters},
          {"parameter_bytes", summary.parameter_bytes},
          {"flops", or_null(summary.flops)},
          {"activation_bytes", or_null(summary.activation_bytes)},
          {"inputs", ports_json(summary.inputs)},
          {"outputs", ports_json(summary.outputs)},
          {"dynamic_dims", summary.dynamic_dims},
          {"values_of_unknown_shape", summary.values_of_unknown_shape},
          {"unrunnable", obstacles_json(summary.unrunnable, "branch")},
          {"opaque", obstacles_json(summary.opaque, "operator")},
          {"operators", operators_json(summary.operators)},
          {"placements", placements_json(placements)}};
}

std::string summary_text(const ModelSummary& summary, const std::vector<PlacementSummary>& placements) {
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : summary.opsets) opsets.push_back(fmt::format("{} {}", domain, version));
  const std::string version = summary.ir_version ? fmt::to_string(*summary.ir_version) : "unknown";
  std::string text = summary.model + "\n";
  text += fact("format", fmt::format("IR {}, opset {}{}{}", version, fmt::join(opsets, ", "),
                                     summary.producer.empty() ? "" : ", from ", summary.producer));
  text += fact("nodes", fmt::to_string(summary.nodes));
  text += fact("parameters",
               fmt::format("{} ({})", with_prefix(summary.parameters, ""), with_prefix(summary.parameter_bytes, "B")));
  text += fact("arithmetic", figure(summary.flops, "flop"));
  text += fact("activations", figure(summary.activation_bytes, "B"));
  text += signature_text(summary);
  if (summary.values_of_unknown_shape != 0)
    text += fact("unknown", fmt::format("{} values have a shape that is not known before running",
                                        summary.values_of_unknown_shape));
  for (const ModelSummary::Obstacle& each : summary.unrunnable)
    text += fact("not runnable", fmt::format("branch '{}': {}", each.what, each.why));
  for (const ModelSummary::Obstacle& each : summary.opaque)
    text += fact("opaque", fmt::format("{}: {}", each.what, each.why));
  for (const PlacementSummary& each : placements) text += fact("placed", placement_text(each));
  Table table({"operator", "count", "kind", "arithmetic", "memory"});
  for (const ModelSummary::Operator& each : summary.operators)
    table.add({each.name, fmt::to_string(each.count), each.kind, with_prefix(each.flops, "flop"),
               with_prefix(each.bytes, "B")});
  return text + "\n" + table.text();
}

}  // namespace hone
