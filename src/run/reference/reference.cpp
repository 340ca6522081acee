#include "run/reference/reference.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/sentence.h"
#include "graph/ir/function.h"
#include "graph/ir/order.h"
#include "graph/ops/evaluate.h"
#include "run/reference/widened.h"

namespace hone {
namespace {

/// Everything one graph run needs to know of its surroundings.
struct Surroundings {
  const Model& model;
  const Opsets& opsets;
  std::uint64_t seed;
  Precision precision;
};

std::vector<Datum> run_graph(const Graph& graph, std::span<const Datum> inputs, std::span<const Datum> captures,
                             const Surroundings& around);

/// The values of one graph while it runs; each is dropped after its last reader.
class GraphRun {
 public:
  GraphRun(const Graph& graph, const Surroundings& around)
      : graph_(graph), around_(around), values_(graph.value_count()), readers_left_(graph.value_count(), 0) {}

  void set(ValueId id, Datum datum) { values_[id.index()] = is_doubled() ? widened(datum) : std::move(datum); }

  std::vector<Datum> run_alone(NodeId id, std::span<const Datum> inputs) {
    const Node& node = graph_.node(id);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (node.inputs[i].valid()) {
        set(node.inputs[i], inputs[i]);
        ++readers_left_[node.inputs[i].index()];
      }
    run_node(id);
    std::vector<Datum> outputs;
    for (const ValueId output : node.outputs) outputs.push_back(output.valid() ? values_[output.index()] : Datum());
    return outputs;
  }

  std::vector<Datum> run() {
    for (const ValueId id : graph_.encoded_sources())
      fail("sparse initialiser '{}': the reference interpreter has no meaning for it", graph_.value(id).name);
    const std::vector<NodeId> order = topological_order(graph_);
    for (const NodeId id : order)
      for (const ValueId input : graph_.node(id).inputs)
        if (input.valid()) ++readers_left_[input.index()];
    for (const ValueId output : graph_.outputs()) ++readers_left_[output.index()];
    for (const NodeId id : order) run_node(id);
    std::vector<Datum> outputs;
    for (const ValueId output : graph_.outputs()) outputs.push_back(get(output));
    return outputs;
  }

 private:
  Datum get(ValueId id) {
    Datum& held = values_[id.index()];
    // Constants are fetched when first read, so that a mapped weight is in memory only while it is needed.
    if (held.empty() && graph_.value(id).constant) set(id, graph_.value(id).constant->aligned());
    return held;
  }

  void run_node(NodeId id) {
    const Node& node = graph_.node(id);
    std::vector<Datum> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(input.valid() ? get(input) : Datum());
    std::vector<Datum> outputs;
    if (const Function* function = around_.model.function(node.op)) {
      const Graph body = instantiate(*function, node);
      inputs.resize(body.inputs().size());
      outputs = run_graph(body, inputs, {}, {around_.model, function->opsets, seed_of(id), around_.precision});
    } else {
      outputs = is_doubled() ? evaluate_doubled(id, inputs) : evaluate(id, inputs);
    }
    for (std::size_t i = 0; i < node.outputs.size() && i < outputs.size(); ++i)
      if (node.outputs[i].valid()) set(node.outputs[i], std::move(outputs[i]));
    for (const ValueId input : node.inputs)
      if (input.valid() && --readers_left_[input.index()] == 0) values_[input.index()] = Datum();
  }

  std::vector<Datum> evaluate(NodeId id, std::span<const Datum> inputs) {
    const Node& node = graph_.node(id);
    const std::size_t written = node.written_inputs().size();
    const auto body = [&](std::string_view attribute, std::span<const Datum> body_inputs) {
      return run_body(id, attribute, body_inputs, inputs.subspan(written));
    };
    return hone::evaluate(graph_, id, around_.opsets, inputs.first(written), body, seed_of(id));
  }

  bool is_doubled() const { return around_.precision == Precision::doubled; }

  /// An operator without a meaning for doubles gets its inputs in the types they were written in. A cast between real
  /// types does not round.
  std::vector<Datum> evaluate_doubled(NodeId id, std::span<const Datum> inputs) {
    const Node& node = graph_.node(id);
    std::vector<Datum> outputs;
    try {
      outputs = evaluate(id, inputs);
    } catch (const InputError&) {
      outputs = evaluate(id, narrowed_inputs(node, inputs));
    }
    const auto is_real = [](const Datum& datum) { return datum.is_tensor() && is_floating(datum.tensor().type()); };
    const bool rounds = node.op->is("Cast") && is_real(inputs[0]) && is_widened(outputs[0].tensor().type());
    if (rounds) outputs = {inputs[0]};
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (const ElementType type = written_type(node.outputs[i]); type != ElementType::float64)
        outputs[i] = within_range(outputs[i], type);
    return outputs;
  }

  /// The element type that a value has as the model is written, float where nothing says it.
  ElementType written_type(ValueId id) const {
    const ElementType type = id.valid() ? graph_.value(id).type.element : ElementType::undefined;
    return is_floating(type) ? type : ElementType::float32;
  }

  std::vector<Datum> narrowed_inputs(const Node& node, std::span<const Datum> inputs) const {
    std::vector<Datum> narrow;
    for (std::size_t i = 0; i < inputs.size(); ++i) narrow.push_back(narrowed(inputs[i], written_type(node.inputs[i])));
    return narrow;
  }

  std::vector<Datum> run_body(NodeId id, std::string_view attribute, std::span<const Datum> inputs,
                              std::span<const Datum> captured) {
    for (const Attribute& candidate : *graph_.node(id).attributes) {
      const auto* body = std::get_if<SharedGraph>(&candidate.value);
      if (body == nullptr) continue;
      const std::size_t count = (*body)->captures().size();
      if (candidate.name == attribute) return run_graph(**body, inputs, captured.first(count), around_);
      captured = captured.subspan(count);
    }
    fail("{}: attribute '{}' is missing", describe(graph_, id), attribute);
  }

  /// By the name of what it produces, so that a node draws the same numbers after its graph has been edited.
  std::uint64_t seed_of(NodeId id) const {
    for (const ValueId output : graph_.node(id).outputs)
      if (output.valid()) return hash_text(graph_.value(output).name, around_.seed);
    return around_.seed;
  }

  const Graph& graph_;
  const Surroundings& around_;
  std::vector<Datum> values_;
  std::vector<std::uint32_t> readers_left_;
};

std::vector<Datum> run_graph(const Graph& graph, std::span<const Datum> inputs, std::span<const Datum> captures,
                             const Surroundings& around) {
  if (inputs.size() > graph.inputs().size())
    fail("graph '{}': given {} inputs, takes {}", graph.name, inputs.size(), graph.inputs().size());
  GraphRun run(graph, around);
  for (std::size_t i = 0; i < inputs.size(); ++i) run.set(graph.inputs()[i], inputs[i]);
  for (std::size_t i = 0; i < captures.size(); ++i) run.set(graph.captures()[i], captures[i]);
  return run.run();
}

/// A Constant may hold a sparse tensor, which is passed on without looking inside.
bool holds_unread_value(const Node& node) {
  return node.op->is("Constant") && std::ranges::any_of(*node.attributes, [](const Attribute& attribute) {
           return std::holds_alternative<OpaqueAttribute>(attribute.value);
         });
}

bool has_meaning(const Node& node, const Opsets& opsets) {
  const OpEntry* entry = definition_of(node, opsets).entry;
  return entry != nullptr && entry->evaluate != nullptr && !holds_unread_value(node);
}

void collect_unsupported(const Model& model, const Graph& graph, const Opsets& opsets, std::set<std::string>& missing) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    for (const Attribute& attribute : *node.attributes)
      if (const auto* body = std::get_if<SharedGraph>(&attribute.value))
        collect_unsupported(model, **body, opsets, missing);
    if (model.function(node.op) == nullptr && !has_meaning(node, opsets)) missing.insert(node.op->text());
  }
}

/// All nodes of a model's own graph run: one that cannot is told before time is spent on the others.
void refuse_unsupported(const Model& model) {
  constexpr std::size_t kMostTold = 4;
  std::set<std::string> missing;
  for (const NodeId id : model.graph.nodes()) {
    const Node& node = model.graph.node(id);
    if (model.function(node.op) == nullptr && !has_meaning(node, model.opsets) && missing.size() < kMostTold)
      missing.insert(node.op->text());
  }
  if (!missing.empty()) fail("the reference interpreter has no meaning for {}", fmt::join(missing, ", "));
}

}  // namespace

std::vector<Datum> ReferenceInterpreter::run(std::span<const Datum> inputs) const {
  return within(model_.source, [&] {
    refuse_unsupported(model_);
    return run_graph(model_.graph, inputs, {}, {model_, model_.opsets, seed_, precision_});
  });
}

std::vector<Datum> run_node(const Model& model, NodeId id, std::span<const Datum> inputs) {
  const Surroundings around{model, model.opsets, 0, Precision::as_written};
  return GraphRun(model.graph, around).run_alone(id, inputs);
}

std::vector<std::string> unsupported_operators(const Model& model) {
  std::set<std::string> missing;
  collect_unsupported(model, model.graph, model.opsets, missing);
  for (const Function& function : model.functions) collect_unsupported(model, function.body, function.opsets, missing);
  return {missing.begin(), missing.end()};
}

}  // namespace hone
