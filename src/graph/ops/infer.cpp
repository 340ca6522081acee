#include "graph/ops/infer.h"

#include <algorithm>
#include <memory>

#include "base/sentence.h"
#include "graph/ir/function.h"
#include "graph/ir/order.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate.h"
#include "graph/ops/infer_so_far.h"

namespace hone {
namespace {

// Values up to this size are computed during inference when their inputs are known: shape arithmetic and the like.
constexpr std::int64_t kMaxEvaluated = 1024;
// Nothing is evaluated during inference that takes more arithmetic than this.
constexpr double kMaxEvaluatedFlops = 1e6;
// A function that calls itself is refused when the model is read; this only guards against absurd nesting.
constexpr int kMaxDepth = 64;

/// Nodes of a graph and of the bodies its nodes hold.
std::size_t nested_node_count(const Graph& graph) {
  std::size_t count = graph.node_count();
  for (const NodeId id : graph.nodes())
    for (const Attribute& attribute : *graph.node(id).attributes)
      if (const auto* body = std::get_if<SharedGraph>(&attribute.value)) count += nested_node_count(**body);
  return count;
}

/// How many nodes may be visited in bodies and calls before a model is refused: functions that call functions twice, or
/// loops in loops, multiply to more than anybody could wait for.
std::size_t nested_visits(const Model& model) {
  constexpr std::size_t kAlways = 500'000, kPerNode = 20;
  std::size_t nodes = nested_node_count(model.graph);
  for (const Function& function : model.functions) nodes += nested_node_count(function.body);
  return kAlways + kPerNode * nodes;
}

/// The more precise of what inference found and what the file declared.
Type merge(const Type& inferred, const Type& declared) {
  if (inferred.kind == Type::Kind::unknown) return declared;
  if (!inferred.is_tensor() || !declared.is_tensor()) return inferred;
  Type merged = inferred;
  if (merged.element == ElementType::undefined) merged.element = declared.element;
  if (!declared.ranked) return merged;
  if (!inferred.ranked) {
    merged.ranked = true;
    merged.shape = declared.shape;
    return merged;
  }
  if (inferred.shape.size() != declared.shape.size()) return merged;
  for (std::size_t i = 0; i < merged.shape.size(); ++i) {
    Dim& dim = merged.shape[i];
    if (dim.unknown() || (dim.symbolic() && declared.shape[i].known())) dim = declared.shape[i];
  }
  return merged;
}

class Inferrer {
 public:
  /// The graph of a model.
  Inferrer(const Model& model, std::size_t& visits_left)
      : model_(model), opsets_(model.opsets), depth_(0), visits_left_(visits_left) {}
  /// A graph inside the one `outer` infers.
  Inferrer(const Inferrer& outer, const Opsets& opsets)
      : model_(outer.model_), opsets_(opsets), depth_(outer.depth_ + 1), visits_left_(outer.visits_left_) {
    if (depth_ > kMaxDepth) fail("graphs are nested more than {} deep", kMaxDepth);
  }

  /// Goes as far as nodes take what they are given.
  InferredSoFar run_so_far(Graph& graph) {
    InferredSoFar found;
    begin(graph, {});
    for (const NodeId id : topological_order(graph)) {
      try {
        infer_node(graph, id);
      } catch (const InputError& error) {
        found.refusing = id;
        found.refusal = error.what();
        break;
      }
      ++found.nodes;
    }
    found.unrunnable = std::move(known_.unrunnable);
    return found;
  }

  KnownContents run(Graph& graph, KnownContents seeds = {}) {
    begin(graph, std::move(seeds));
    if (depth_ > 0 && graph.node_count() >= visits_left_)
      fail("graph '{}': functions or loops are nested so that they multiply to too many nodes", graph.name);
    if (depth_ > 0) visits_left_ -= graph.node_count() + 1;
    for (const NodeId id : topological_order(graph)) infer_node(graph, id);
    return std::move(known_);
  }

 private:
  void begin(const Graph& graph, KnownContents seeds) {
    known_ = std::move(seeds);
    known_.tensors.resize(graph.value_count());
    known_.symbolic.resize(graph.value_count());
  }

  InferContext::Fact fact(const Graph& graph, ValueId id) const {
    if (!id.valid()) return {};
    const Value& value = graph.value(id);
    InferContext::Fact fact{.type = value.type, .constant = nullptr, .contents = known_.symbolic[id.index()]};
    // From IR 4 on, an initialiser that is also an input is only a default the caller may override.
    const bool overridable = value.constant && model_.ir_version.value_or(4) >= 4 && graph.is_input(id);
    if (value.constant && !overridable) fact.constant = &*value.constant;
    else if (known_.tensors[id.index()]) fact.constant = &*known_.tensors[id.index()];
    return fact;
  }

  void infer_node(Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    if (const Function* function = model_.function(node.op)) return infer_call(graph, id, *function);
    const auto [entry, version] = definition_of(node, opsets_);
    if (entry == nullptr || entry->infer == nullptr) return;  // opaque: what the file declares is all that is known
    check_arity(graph, id, *entry);
    std::vector<InferContext::Fact> facts;
    for (const ValueId input : node.written_inputs()) facts.push_back(fact(graph, input));
    std::map<std::string, SharedGraph, std::less<>> typed_bodies;
    InferContext context(*entry, node, version, facts, [&](std::string_view attribute, std::span<const Type> inputs) {
      return infer_body(graph, id, attribute, inputs, typed_bodies);
    });
    entry->infer(context);
    keep_bodies(graph, id, typed_bodies);
    for (const InferContext::Refusal& refusal : context.refusals())
      known_.unrunnable.push_back(
          {std::get<SharedGraph>(graph.node(id).attribute(refusal.attribute)->value), refusal.reason});
    keep_outputs(graph, id, context);
    if (typed_bodies.empty() && entry->deterministic && entry->evaluate != nullptr) evaluate_small(graph, id, facts);
  }

  static void check_arity(const Graph& graph, NodeId id, const OpEntry& entry) {
    const Node& node = graph.node(id);
    const std::size_t inputs = node.written_inputs().size();
    if (inputs < entry.inputs.min || inputs > entry.inputs.max)
      fail("{}: has {} inputs, takes {}", describe(graph, id), inputs,
           entry.inputs.max == kMany ? fmt::format("at least {}", entry.inputs.min)
                                     : fmt::format("{} to {}", entry.inputs.min, entry.inputs.max));
    if (node.outputs.size() < entry.outputs.min)
      fail("{}: has {} outputs, gives at least {}", describe(graph, id), node.outputs.size(), entry.outputs.min);
    if (node.outputs.size() > entry.outputs.max)
      fail("{}: has {} outputs, gives at most {}", describe(graph, id), node.outputs.size(), entry.outputs.max);
  }

  /// Contents and types flow into a copy of the body, which replaces the body once the node is done.
  std::vector<Type> infer_body(const Graph& graph, NodeId id, std::string_view attribute, std::span<const Type> inputs,
                               std::map<std::string, SharedGraph, std::less<>>& typed) {
    const Node& node = graph.node(id);
    std::size_t capture = node.written_inputs().size();
    for (const Attribute& candidate : *node.attributes) {
      const auto* held = std::get_if<SharedGraph>(&candidate.value);
      if (held == nullptr) continue;
      if (candidate.name != attribute) {
        capture += (*held)->captures().size();
        continue;
      }
      Graph body = **held;
      KnownContents seeds;
      seeds.tensors.resize(body.value_count());
      seeds.symbolic.resize(body.value_count());
      for (std::size_t i = 0; i < body.captures().size(); ++i) {
        const ValueId inner = body.captures()[i];
        const InferContext::Fact outer = fact(graph, node.inputs[capture + i]);
        body.set_type(inner, outer.type);
        if (outer.constant) seeds.tensors[inner.index()] = *outer.constant;
        seeds.symbolic[inner.index()] = outer.contents;
      }
      for (std::size_t i = 0; i < std::min(inputs.size(), body.inputs().size()); ++i) {
        const ValueId inner = body.inputs()[i];
        body.set_type(inner, merge(inputs[i], body.value(inner).type));
      }
      const KnownContents inside = Inferrer(*this, opsets_).run(body, std::move(seeds));
      known_.unrunnable.insert(known_.unrunnable.end(), inside.unrunnable.begin(), inside.unrunnable.end());
      std::vector<Type> outputs;
      for (const ValueId output : body.outputs()) outputs.push_back(body.value(output).type);
      typed[std::string(attribute)] = std::make_shared<const Graph>(std::move(body));
      return outputs;
    }
    fail("{}: attribute '{}' is missing", describe(graph, id), attribute);
  }

  static void keep_bodies(Graph& graph, NodeId id, const std::map<std::string, SharedGraph, std::less<>>& typed) {
    if (typed.empty()) return;
    Attributes attributes = *graph.node(id).attributes;
    for (Attribute& attribute : attributes)
      if (const auto it = typed.find(attribute.name); it != typed.end()) attribute.value = it->second;
    graph.set_attributes(id, std::move(attributes));
  }

  void keep_outputs(Graph& graph, NodeId id, const InferContext& context) {
    for (std::size_t i = 0; i < context.outputs().size(); ++i) {
      const ValueId output = graph.node(id).outputs[i];
      if (!output.valid()) continue;
      const InferContext::Fact& found = context.outputs()[i];
      const Type merged = merge(found.type, graph.value(output).type);
      if (!(merged == graph.value(output).type)) graph.set_type(output, merged);
      if (found.contents) keep_contents(output, merged, *found.contents);
    }
  }

  void keep_contents(ValueId id, const Type& type, const Contents& contents) {
    const bool certain = std::ranges::all_of(contents, [](Dim d) { return d.known(); });
    const bool fits =
        type.is_static_tensor() && element_count(type.shape) == Dim(static_cast<std::int64_t>(contents.size()));
    if (!certain || !fits) {
      known_.symbolic[id.index()] = contents;
      return;
    }
    Dims dims;
    for (const Dim d : type.shape) dims.push_back(d.value());
    Tensor tensor = Tensor::zeros(type.element, dims);
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (type.element == ElementType::int64) tensor.write<std::int64_t>()[i] = contents[i].value();
      else tensor.set_number(i, static_cast<double>(contents[i].value()));
    }
    known_.tensors[id.index()] = std::move(tensor);
  }

  /// Runs the operator when all inputs are known and everything is small.
  void evaluate_small(const Graph& graph, NodeId id, std::span<const InferContext::Fact> facts) {
    const Node& node = graph.node(id);
    bool unknown_output = false;
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      const Type& type = graph.value(output).type;
      if (!type.is_static_tensor()) return;
      const Dim count = element_count(type.shape);
      if (!count.known() || count.value() > kMaxEvaluated) return;
      unknown_output = unknown_output || !known_.tensors[output.index()];
    }
    const std::optional<NodeCost> cost = node_cost(graph, id, opsets_);
    if (!unknown_output || !cost || cost->flops > kMaxEvaluatedFlops) return;
    std::vector<Datum> inputs(node.inputs.size());
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (!node.inputs[i].valid()) continue;
      if (facts[i].constant == nullptr || facts[i].constant->count() > kMaxEvaluated) return;
      inputs[i] = facts[i].constant->aligned();
    }
    std::vector<Datum> outputs;
    try {
      outputs = evaluate(graph, id, opsets_, inputs);
    } catch (const InputError&) {
      return;  // what cannot be computed now fails when it is run, with the same message
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (node.outputs[i].valid() && outputs[i].is_tensor())
        known_.tensors[node.outputs[i].index()] = outputs[i].tensor();
  }

  void infer_call(Graph& graph, NodeId id, const Function& function) {
    const Node& node = graph.node(id);
    Graph body = instantiate(function, node);
    KnownContents seeds;
    seeds.tensors.resize(body.value_count());
    seeds.symbolic.resize(body.value_count());
    for (std::size_t i = 0; i < std::min(node.written_inputs().size(), body.inputs().size()); ++i) {
      const ValueId inner = body.inputs()[i];
      const InferContext::Fact outer = fact(graph, node.inputs[i]);
      body.set_type(inner, outer.type);
      if (outer.constant) seeds.tensors[inner.index()] = *outer.constant;
      seeds.symbolic[inner.index()] = outer.contents;
    }
    const KnownContents inside = Inferrer(*this, function.opsets).run(body, std::move(seeds));
    for (std::size_t i = 0; i < std::min(node.outputs.size(), body.outputs().size()); ++i) {
      if (!node.outputs[i].valid()) continue;
      const ValueId inner = body.outputs()[i];
      graph.set_type(node.outputs[i], merge(body.value(inner).type, graph.value(node.outputs[i]).type));
      known_.tensors[node.outputs[i].index()] = inside.tensors[inner.index()];
      known_.symbolic[node.outputs[i].index()] = inside.symbolic[inner.index()];
    }
  }

  const Model& model_;
  const Opsets& opsets_;
  int depth_;
  std::size_t& visits_left_;
  KnownContents known_;
};

Type substitute(Type type, const std::map<std::string, std::int64_t>& symbols) {
  for (Dim& dim : type.shape)
    dim = dim.substitute([&](std::string_view symbol) -> std::optional<std::int64_t> {
      const auto it = symbols.find(std::string(symbol));
      return it == symbols.end() ? std::nullopt : std::optional(it->second);
    });
  return type;
}

/// Symbols of input dims that a given shape fixes: x:8x3 against x[N,3] gives N = 8.
void unify(const Value& input, const Shape& given, std::map<std::string, std::int64_t>& symbols) {
  const Type& type = input.type;
  if (type.is_tensor() && type.ranked && type.shape.size() != given.size())
    fail_usage("input '{}' has shape {}, cannot be {}", input.name, text_of(type.shape), text_of(given));
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i].known() && given[i].known() && type.shape[i] != given[i])
      fail_usage("input '{}' has shape {}, cannot be {}", input.name, text_of(type.shape), text_of(given));
    if (type.shape[i].symbolic() && given[i].known()) symbols[type.shape[i].text()] = given[i].value();
  }
}

}  // namespace

KnownContents infer_types(Model& model) {
  Graph graph = model.graph;
  std::size_t visits_left = nested_visits(model);
  KnownContents known = within(model.source, [&] { return Inferrer(model, visits_left).run(graph); });
  model.graph = std::move(graph);
  return known;
}

InferredSoFar infer_types_so_far(Model& model) {
  std::size_t visits_left = nested_visits(model);
  return Inferrer(model, visits_left).run_so_far(model.graph);
}

void fix_dims(Model& model, const FixedDims& fixed) {
  Graph& graph = model.graph;
  std::map<std::string, std::int64_t> symbols = fixed.symbols;
  for (const auto& [symbol_name, value] : fixed.symbols) {
    const std::string& symbol = symbol_name;
    const bool used = std::ranges::any_of(graph.inputs(), [&](ValueId id) {
      return std::ranges::any_of(graph.value(id).type.shape, [&](Dim d) {
        bool seen = false;
        d.substitute([&](std::string_view name) -> std::optional<std::int64_t> {
          seen = seen || name == symbol;
          return std::nullopt;
        });
        return seen;
      });
    });
    if (!used) fail_usage("the model has no dimension '{}'", symbol);
    if (value < 0) fail_usage("dimension '{}' cannot be {}", symbol, value);
  }
  for (const auto& [input_name, shape] : fixed.inputs) {
    const std::string& name = input_name;  // clang 14 cannot capture a binding
    const auto found = std::ranges::find_if(graph.inputs(), [&](ValueId id) { return graph.value(id).name == name; });
    if (found == graph.inputs().end()) fail_usage("the model has no input '{}'", name);
    unify(graph.value(*found), shape, symbols);
    graph.set_type(*found, Type::tensor(graph.value(*found).type.element, shape));
  }
  for (std::size_t i = 0; i < graph.value_count(); ++i) {
    const Type& type = graph.value(ValueId(i)).type;
    if (type.is_tensor() && type.ranked && !is_static(type.shape))
      graph.set_type(ValueId(i), substitute(type, symbols));
  }
}

}  // namespace hone
