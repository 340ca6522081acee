#include "rewrite/worth/node_sort.h"

#include <string>
#include <unordered_map>

#include "graph/ops/op.h"
#include "rewrite/rules/setting.h"

namespace hone {
namespace {

using Sorts = std::unordered_map<std::string_view, TimePart>;

/// Operators that are told apart by name; the others go by their kind in the table of operators.
const Sorts& sorts_by_name() {
  static const Sorts sorts = {
      {"Relu", TimePart::activation},
      {"LeakyRelu", TimePart::activation},
      {"Clip", TimePart::activation},
      {"Sigmoid", TimePart::activation},
      {"HardSigmoid", TimePart::activation},
      {"HardSwish", TimePart::activation},
      {"Tanh", TimePart::activation},
      {"Gelu", TimePart::activation},
      {"PRelu", TimePart::activation},
      {"Add", TimePart::addition},
      {"Sub", TimePart::addition},
      {"Sum", TimePart::addition},
      {"MaxPool", TimePart::pooling},
      {"AveragePool", TimePart::pooling},
      {"GlobalAveragePool", TimePart::pooling},
      {"GlobalMaxPool", TimePart::pooling},
      {"BatchNormalization", TimePart::normalization},
      {"LayerNormalization", TimePart::normalization},
      {"InstanceNormalization", TimePart::normalization},
      {"GroupNormalization", TimePart::normalization},
      {"RMSNormalization", TimePart::normalization},
      {"SimplifiedLayerNormalization", TimePart::normalization},
      {"SkipLayerNormalization", TimePart::normalization},
      {"LpNormalization", TimePart::normalization},
      {"Softmax", TimePart::softmax},
      {"LogSoftmax", TimePart::softmax},
      {"Transpose", TimePart::transpose},
      {"Concat", TimePart::concatenation},
      {"Split", TimePart::cut},
      {"Slice", TimePart::cut},
      {"Gather", TimePart::gathering},
      {"GatherND", TimePart::gathering},
      {"GatherElements", TimePart::gathering},
  };
  return sorts;
}

bool is_convolution_name(std::string_view name) { return name == "Conv" || name == "FusedConv"; }

bool is_product_name(std::string_view name) {
  return name == "MatMul" || name == "Gemm" || name == "FusedMatMul" || name == "FusedGemm" || name == "Einsum";
}

std::int64_t integer_attribute(const Node& node, std::string_view name, std::int64_t otherwise) {
  const Attribute* attribute = node.attribute(name);
  const auto* value = attribute == nullptr ? nullptr : std::get_if<std::int64_t>(&attribute->value);
  return value == nullptr ? otherwise : *value;
}

TimePart convolution_sort(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 2 || !node.inputs[1].valid()) return TimePart::spatial_convolution;
  const Shape& weight = graph.value(node.inputs[1]).type.shape;
  const std::int64_t groups = integer_attribute(node, "group", 1);
  if (groups > 1)
    return weight.size() > 1 && weight[1].known() && weight[1].value() == 1 ? TimePart::depthwise_convolution
                                                                            : TimePart::grouped_convolution;
  for (std::size_t axis = 2; axis < weight.size(); ++axis)
    if (!weight[axis].known() || weight[axis].value() != 1) return TimePart::spatial_convolution;
  return TimePart::pointwise_convolution;
}

TimePart product_sort(const Graph& graph, const Node& node) {
  for (const ValueId id : node.written_inputs())
    if (id.valid() && is_fixed(graph, id, RuleSetting::Defaults::fixed)) return TimePart::weight_product;
  return TimePart::computed_product;
}

TimePart sort_of_kind(OpKind kind) {
  switch (kind) {
    case OpKind::pointwise: return TimePart::arithmetic;
    case OpKind::reduction: return TimePart::reduction;
    case OpKind::view: return TimePart::view;
    default: return TimePart::other;
  }
}

}  // namespace

TimePart sort_of_operator(const OpName* op) {
  if (is_convolution_name(op->name)) return TimePart::spatial_convolution;
  if (is_product_name(op->name)) return TimePart::weight_product;
  const auto found = sorts_by_name().find(op->name);
  if (found != sorts_by_name().end()) return found->second;
  const OpEntry* entry = OpTable::instance().find(op);
  return entry == nullptr ? TimePart::other : sort_of_kind(entry->kind);
}

TimePart sort_of(const Graph& graph, const Node& node) {
  if (is_convolution_name(node.op->name)) return convolution_sort(graph, node);
  if (is_product_name(node.op->name)) return product_sort(graph, node);
  return sort_of_operator(node.op);
}

}  // namespace hone
