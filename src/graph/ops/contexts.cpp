#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/infer_context.h"

namespace hone {
namespace {

// Shape arithmetic works on a handful of elements; anything longer is data.
constexpr std::size_t kMaxContents = 1024;

}  // namespace

const Type& InferContext::type(std::size_t i) const {
  static const Type unknown;
  return i < inputs_.size() ? inputs_[i].type : unknown;
}

std::optional<Contents> InferContext::contents(std::size_t i) const {
  if (i >= inputs_.size()) return std::nullopt;
  const Fact& fact = inputs_[i];
  if (fact.contents) return fact.contents;
  if (fact.constant == nullptr || fact.constant->count() > kMaxContents) return std::nullopt;
  if (!is_integer(fact.constant->type()) && fact.constant->type() != ElementType::boolean) return std::nullopt;
  Contents contents;
  for (const std::int64_t value : fact.constant->integers()) contents.emplace_back(value);
  return contents;
}

std::optional<std::vector<std::int64_t>> InferContext::known_integers(std::size_t i) const {
  const std::optional<Contents> all = contents(i);
  if (!all) return std::nullopt;
  if (inputs_[i].constant != nullptr) return inputs_[i].constant->integers();
  std::vector<std::int64_t> numbers;
  for (const Dim d : *all) {
    if (!d.known()) return std::nullopt;
    numbers.push_back(d.value());
  }
  return numbers;
}

void InferContext::output(std::size_t i, Type type) {
  if (i < outputs_.size()) outputs_[i].type = std::move(type);
}

void InferContext::output_contents(std::size_t i, Contents contents) {
  if (i < outputs_.size() && contents.size() <= kMaxContents) outputs_[i].contents = std::move(contents);
}

std::optional<std::vector<Type>> InferContext::try_infer_body(std::string_view attribute,
                                                              std::span<const Type> inputs) {
  body(attribute);  // one that is not there is no reason to go on without it
  try {
    return infer_body_(attribute, inputs);
  } catch (const InputError& error) {
    refusals_.push_back({std::string(attribute), error.what()});
    return std::nullopt;
  }
}

const Tensor& EvaluateContext::tensor(std::size_t i) const {
  if (i >= inputs_.size() || inputs_[i].empty()) fail("input {} is missing", i);
  if (!inputs_[i].is_tensor()) fail("input {} is not a tensor", i);
  return inputs_[i].tensor();
}

double CostContext::elements(const Type& type) {
  return type.is_static_tensor() ? static_cast<double>(hone::element_count(type.shape).value()) : 0;
}

double CostContext::dim(const Type& type, int axis) {
  const auto rank = static_cast<int>(type.shape.size());
  const int index = axis < 0 ? axis + rank : axis;
  return index >= 0 && index < rank ? static_cast<double>(type.shape[static_cast<std::size_t>(index)].value()) : 1;
}

double CostContext::input_bytes(std::size_t i) const {
  return i < inputs_.size() ? static_cast<double>(byte_size(inputs_[i]).value_or(0)) : 0;
}
double CostContext::output_bytes(std::size_t i) const {
  return i < outputs_.size() ? static_cast<double>(byte_size(outputs_[i]).value_or(0)) : 0;
}

namespace {

double default_flops(const OpEntry& entry, const CostContext& context) {
  if (entry.kind == OpKind::pointwise) return context.output_elements(0);
  return entry.kind == OpKind::reduction ? context.input_elements(0) : 0;
}

double default_bytes(const OpEntry& entry, const CostContext& context, std::size_t inputs, std::size_t outputs) {
  if (entry.kind == OpKind::view) return 0;
  double bytes = 0;
  for (std::size_t i = 0; i < inputs; ++i) bytes += context.input_bytes(i);
  for (std::size_t i = 0; i < outputs; ++i) bytes += context.output_bytes(i);
  return bytes;
}

}  // namespace

std::optional<NodeCost> node_cost(const Graph& graph, NodeId id, const Opsets& opsets) {
  const Node& node = graph.node(id);
  std::vector<Type> inputs, outputs;
  for (const ValueId v : node.written_inputs()) inputs.push_back(v.valid() ? graph.value(v).type : Type{});
  for (const ValueId v : node.outputs) outputs.push_back(v.valid() ? graph.value(v).type : Type{});
  return node_cost(node, inputs, outputs, opsets);
}

std::optional<NodeCost> node_cost(const Node& node, std::span<const Type> inputs, std::span<const Type> outputs,
                                  const Opsets& opsets) {
  for (const std::span<const Type> types : {inputs, outputs})
    for (const Type& type : types)
      if (type.is_tensor() && !type.is_static_tensor()) return std::nullopt;
  static const OpEntry opaque{.name = "", .versions = {1}, .inputs = {0, kMany}, .outputs = {0, kMany}};
  const OpEntry* found = OpTable::instance().find(node.op);
  const OpEntry& entry = found ? *found : opaque;
  const CostContext context(entry, node, definition_of(node, opsets).version, inputs, outputs);
  return NodeCost{
      .flops = entry.flops ? entry.flops(context) : default_flops(entry, context),
      .bytes = entry.bytes ? entry.bytes(context) : default_bytes(entry, context, inputs.size(), outputs.size()),
  };
}

}  // namespace hone
