#include "graph/loops/operator_loop.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate.h"

namespace hone {
namespace {

std::map<const OpName*, const LoopEntry*> loop_entries_by_name() {
  std::map<const OpName*, const LoopEntry*> index;
  for (const LoopEntry* entry : LoopFamily::all_entries()) {
    const bool added = index.emplace(OpName::intern(entry->domain, entry->name), entry).second;
    HONE_CHECK(added, "operator {} describes itself as a loop twice", entry->name);
  }
  return index;
}

bool can_loop_over(const Graph& graph, std::span<const ValueId> values) {
  return std::ranges::all_of(values, [&](ValueId id) {
    if (!id.valid()) return true;
    const Type& type = graph.value(id).type;
    return type.is_static_tensor() && has_loop_type(type.element);
  });
}

/// An integer as an element that has fewer digits holds it.
LoopValue wrapped(LoopBody& body, LoopValue value, ElementType element) {
  const auto bits = static_cast<double>(bit_width(element));
  const auto number = [&](double constant) { return body.constant(LoopType::integer, constant); };
  if (!is_signed_integer(element)) return body.apply(LoopOp::bit_and, {value, number(std::exp2(bits) - 1)});
  const LoopValue high = body.apply(LoopOp::shift_left, {value, number(64 - bits)});
  return body.apply(LoopOp::shift_right, {high, number(64 - bits)});
}

/// What an operator computes is what its result can hold, also where it is read without being stored.
void keep_within(OperatorLoop& loop, ElementType element) {
  if (!loop.body || !is_integer(element) || bit_width(element) == 64) return;
  loop.body = [body = std::move(loop.body), element](LoopBody& code, std::span<const LoopValue> x) {
    return wrapped(code, body(code, x), element);
  };
}

}  // namespace

bool is_loop_real(ElementType element) {
  return has_loop_type(element) && (loop_type_of(element) == LoopType::real || loop_type_of(element) == LoopType::wide);
}

const Tensor* LoopContext::constant(std::size_t input) const {
  if (!has_input(input)) return nullptr;
  const Value& value = graph_.value(node().inputs[input]);
  return value.constant && !graph_.is_input(node().inputs[input]) ? &*value.constant : nullptr;
}

std::optional<double> LoopContext::number_input(std::size_t input) const {
  const Tensor* tensor = constant(input);
  return tensor != nullptr && tensor->count() == 1 ? std::optional(tensor->number_at(0)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> LoopContext::integers_input(std::size_t input) const {
  const Tensor* tensor = constant(input);
  return tensor != nullptr ? std::optional(tensor->integers()) : std::nullopt;
}

Dims LoopContext::dims_of(ValueId id) const {
  Dims dims;
  for (const Dim dim : graph_.value(id).type.shape) dims.push_back(dim.value());
  return dims;
}

std::optional<OperatorLoop> operator_loop(const Graph& graph, NodeId id, const Opsets& opsets, std::size_t output) {
  static const auto index = loop_entries_by_name();
  const Node& node = graph.node(id);
  const auto found = index.find(node.op);
  if (found == index.end()) return std::nullopt;
  const Definition definition = definition_of(node, opsets);
  if (definition.entry == nullptr || output >= node.outputs.size() || !node.outputs[output].valid())
    return std::nullopt;
  if (!can_loop_over(graph, node.written_inputs()) || !can_loop_over(graph, {node.outputs.data(), node.outputs.size()}))
    return std::nullopt;
  auto loop = found->second->describe(LoopContext(graph, *definition.entry, node, definition.version), output);
  if (!loop) return loop;
  if (!loop->inputs.empty() && graph.value(node.inputs[loop->inputs[0]]).type.element == ElementType::float64)
    loop->reals = LoopType::wide;
  keep_within(*loop, graph.value(node.outputs[output]).type.element);
  return loop;
}

namespace {

/// Before opset 7 an operand may say by an attribute along which axes it goes; axes of one element do the same.
Dims aligned_dims(const LoopContext& context, std::size_t input) {
  Dims dims = context.dims(input);
  const bool by_axis = context.version() < 7 && context.has_attribute("axis") && context.has_attribute("broadcast");
  if (input == 0 || !by_axis || context.integer("broadcast") == 0) return dims;
  const std::size_t rank = context.dims(0).size();
  const std::size_t axis = normalize_axis(context, context.integer("axis"), rank);
  while (axis + dims.size() < rank) dims.push_back(1);
  return dims;
}

}  // namespace

OperatorLoop pointwise_loop(const LoopContext& context,
                            std::function<LoopValue(LoopBody&, std::span<const LoopValue>)> body) {
  OperatorLoop loop{.space = context.output_dims(0)};
  loop.writes = strides_of(loop.space);
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (!context.has_input(i)) continue;
    loop.inputs.push_back(i);
    loop.reads.push_back({.strides = broadcast_strides(aligned_dims(context, i), loop.space)});
  }
  loop.body = std::move(body);
  return loop;
}

}  // namespace hone
