#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/ops/cost_context.h"
#include "learn/rewrite/graph_prices.h"
#include "learn/rewrite/price_columns.h"
#include "rewrite/rules/setting.h"

namespace hone {
namespace {

constexpr double kPeakFlops = 5e10, kBytesPerSecond = 1e10, kLaunchSeconds = 5e-7;  // of an ordinary core
constexpr double kSmallest = 1e3;  // operations or bytes that count as few

/// Operators that have a column of their own, the last being for all others.
constexpr std::string_view kOperators[] = {"Conv",
                                           "MatMul",
                                           "Gemm",
                                           "Einsum",
                                           "Add",
                                           "Sub",
                                           "Mul",
                                           "Div",
                                           "Pow",
                                           "Sqrt",
                                           "Reciprocal",
                                           "Exp",
                                           "Log",
                                           "Neg",
                                           "Abs",
                                           "Erf",
                                           "Tanh",
                                           "Sigmoid",
                                           "Relu",
                                           "LeakyRelu",
                                           "Clip",
                                           "Gelu",
                                           "Softplus",
                                           "HardSwish",
                                           "HardSigmoid",
                                           "Elu",
                                           "Softmax",
                                           "LogSoftmax",
                                           "ReduceMean",
                                           "ReduceSum",
                                           "ReduceMax",
                                           "ReduceL2",
                                           "Transpose",
                                           "Reshape",
                                           "Squeeze",
                                           "Unsqueeze",
                                           "Flatten",
                                           "Concat",
                                           "Split",
                                           "Slice",
                                           "Gather",
                                           "GatherElements",
                                           "Expand",
                                           "Tile",
                                           "Pad",
                                           "Where",
                                           "Cast",
                                           "Greater",
                                           "Equal",
                                           "MaxPool",
                                           "AveragePool",
                                           "GlobalAveragePool",
                                           "LayerNormalization",
                                           "BatchNormalization",
                                           "InstanceNormalization",
                                           "GroupNormalization",
                                           "RMSNormalization",
                                           "Resize",
                                           "ConvTranspose",
                                           "Identity",
                                           "Max",
                                           "Min",
                                           "Attention"};
static_assert(std::size(kOperators) < kPricedOperators);

float logarithm(double value) { return static_cast<float>(std::log1p(std::max(0.0, value) / kSmallest)); }
float dim_logarithm(double value) { return static_cast<float>(std::log2(std::max(1.0, value)) / 4); }

double dim_of(const Type& type, std::size_t from_end) {
  const Shape& shape = type.shape;
  if (from_end > shape.size() || !shape[shape.size() - from_end].known()) return 1;
  return static_cast<double>(shape[shape.size() - from_end].value());
}

double bytes_of_value(const Graph& graph, ValueId id) {
  return id.valid() ? static_cast<double>(byte_size(graph.value(id).type).value_or(0)) : 0;
}

class PriceScene {
 public:
  PriceScene(const Model& model, std::span<const std::string> options)
      : model_(model), graph_(model.graph), defaults_(RuleSetting::of(model).defaults) {
    for (const std::string& option : options) {
      HONE_CHECK(is_priced_option(option), "an option without a price");
      options_.push_back(static_cast<std::size_t>(std::ranges::find(kPricedOptions, option) - kPricedOptions));
    }
  }

  RewriteScene make() {
    std::vector<std::uint32_t> row_of(graph_.node_slots(), UINT32_MAX);
    const std::vector<NodeId> nodes = graph_.nodes();
    for (const NodeId id : nodes) {
      const Node& node = graph_.node(id);
      const bool is_free =
          std::ranges::all_of(node.inputs, [&](ValueId input) { return !input.valid() || is_constant(input); });
      if (is_free) continue;
      row_of[id.index()] = static_cast<std::uint32_t>(scene_.nodes++);
      add_row(id, node);
    }
    for (std::size_t row = 0; row < scene_.nodes; ++row)
      at(std::span(scene_.rows).subspan(row * kPriceColumns, kPriceColumns), PriceColumn::all_weights) =
          logarithm(all_weights_);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const NodeId id : nodes)
      for (const ValueId input : graph_.node(id).inputs) {
        if (row_of[id.index()] == UINT32_MAX || !input.valid()) continue;
        const NodeId producer = graph_.value(input).producer;
        if (producer.valid() && row_of[producer.index()] != UINT32_MAX)
          edges.emplace_back(row_of[producer.index()], row_of[id.index()]);
      }
    scene_.set_edges(std::move(edges));
    return std::move(scene_);
  }

 private:
  bool is_constant(ValueId id) const { return is_fixed(graph_, id, defaults_); }
  static float& at(std::span<float> row, PriceColumn column) { return row[static_cast<std::size_t>(column)]; }

  void add_row(NodeId id, const Node& node) {
    scene_.rows.resize(scene_.rows.size() + kPriceColumns);
    const auto row = std::span(scene_.rows).last(kPriceColumns);
    const TimePart sort = sort_of(graph_, node);
    row[kPriceNumbers + static_cast<std::size_t>(sort)] = 1;
    const auto* known = std::ranges::find(kOperators, std::string_view(node.op->name));
    row[kPriceNumbers + kNodeSorts + static_cast<std::size_t>(known - std::begin(kOperators))] = 1;
    add_sizes(row, id, node, sort);
    add_outputs(row, node);
    for (const std::size_t option : options_) row[kFirstOption + option] = 1;
    if (is_convolution(sort)) add_window(row, node);
    if (is_product(sort)) add_product(row, node);
    if (sort == TimePart::transpose) at(row, PriceColumn::keeps_last) = keeps_last_axis(node) ? 1 : 0;
  }

  void add_sizes(std::span<float> row, NodeId id, const Node& node, TimePart sort) {
    const NodeCost cost = node_cost(graph_, id, model_.opsets).value_or(NodeCost());
    double read = 0, weights = 0, written = 0;
    for (const ValueId input : node.inputs) (is_weight(input) ? weights : read) += bytes_of_value(graph_, input);
    for (const ValueId output : node.outputs) written += bytes_of_value(graph_, output);
    const bool moves_nothing = sort == TimePart::view;
    const double seconds =
        kLaunchSeconds + (moves_nothing ? 0 : cost.flops / kPeakFlops + cost.bytes / kBytesPerSecond);
    at(row, PriceColumn::roofline) = static_cast<float>(std::log(seconds / kPriceUnit));
    at(row, PriceColumn::flops) = logarithm(cost.flops);
    at(row, PriceColumn::read_bytes) = logarithm(read);
    at(row, PriceColumn::written_bytes) = logarithm(written);
    at(row, PriceColumn::weight_bytes) = logarithm(weights);
    all_weights_ += weights;
    at(row, PriceColumn::has_constant) = weights > 0 ? 1 : 0;
    if (node.inputs.size() > 1)
      at(row, PriceColumn::is_broadcast) =
          bytes_of_value(graph_, node.inputs[0]) != bytes_of_value(graph_, node.inputs[1]) ? 1 : 0;
  }

  bool is_weight(ValueId id) const { return id.valid() && is_constant(id); }

  void add_outputs(std::span<float> row, const Node& node) {
    double readers = 0;
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      readers += static_cast<double>(graph_.users(output).size());
      if (graph_.is_output(output)) at(row, PriceColumn::is_answer) = 1;
    }
    at(row, PriceColumn::readers) = dim_logarithm(readers);
    if (node.outputs.empty() || !node.outputs[0].valid()) return;
    const Type& type = graph_.value(node.outputs[0]).type;
    at(row, PriceColumn::last) = dim_logarithm(dim_of(type, 1));
    at(row, PriceColumn::before_last) = dim_logarithm(dim_of(type, 2));
    at(row, PriceColumn::rank) = static_cast<float>(type.shape.size()) / 4;
  }

  void add_window(std::span<float> row, const Node& node) {
    const Type& weight = graph_.value(node.inputs[1]).type;
    double window = 1;
    for (std::size_t axis = 2; axis < weight.shape.size(); ++axis) window *= dim_of(weight, weight.shape.size() - axis);
    at(row, PriceColumn::rows) = dim_logarithm(window);
    at(row, PriceColumn::inner) = dim_logarithm(dim_of(weight, weight.shape.size() - 1));
    at(row, PriceColumn::is_line) = weight.shape.size() == 3 ? 1 : 0;
    const Attribute* strides = node.attribute("strides");
    const auto* steps = strides == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&strides->value);
    at(row, PriceColumn::strided) =
        steps != nullptr && std::ranges::any_of(*steps, [](std::int64_t step) { return step > 1; }) ? 1 : 0;
  }

  void add_product(std::span<float> row, const Node& node) {
    const Type& left = graph_.value(node.inputs[0]).type;
    double rows = 1;
    for (std::size_t from_end = 2; from_end <= left.shape.size(); ++from_end) rows *= dim_of(left, from_end);
    at(row, PriceColumn::rows) = dim_logarithm(rows);
    at(row, PriceColumn::inner) = dim_logarithm(dim_of(left, 1));
  }

  static bool keeps_last_axis(const Node& node) {
    const Attribute* order = node.attribute("perm");
    const auto* axes = order == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&order->value);
    return axes != nullptr && !axes->empty() && axes->back() + 1 == static_cast<std::int64_t>(axes->size());
  }

  const Model& model_;
  const Graph& graph_;
  RuleSetting::Defaults defaults_;
  std::vector<std::size_t> options_;  // columns of them
  double all_weights_ = 0;            // bytes
  RewriteScene scene_;
};

}  // namespace

RewriteScene price_scene(const Model& model, std::span<const std::string> options) {
  return PriceScene(model, options).make();
}

bool is_priced_option(std::string_view name) {
  return std::ranges::find(kPricedOptions, name) != std::end(kPricedOptions);
}

}  // namespace hone
