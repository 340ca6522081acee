#include "rewrite/worth/time_parts.h"

#include <algorithm>
#include <numeric>

#include "graph/ir/order.h"
#include "rewrite/search/appraisal.h"
#include "rewrite/worth/node_sort.h"

namespace hone {
namespace {

constexpr double kReorderedBytesPerSecond = 5e9;  // in order of magnitude; weights are learned

constexpr std::array<std::string_view, kTimeParts> kPartNames = {"pointwise_convolution",
                                                                 "spatial_convolution",
                                                                 "grouped_convolution",
                                                                 "depthwise_convolution",
                                                                 "weight_product",
                                                                 "computed_product",
                                                                 "pooling",
                                                                 "activation",
                                                                 "addition",
                                                                 "arithmetic",
                                                                 "normalization",
                                                                 "softmax",
                                                                 "reduction",
                                                                 "transpose",
                                                                 "concatenation",
                                                                 "cut",
                                                                 "gathering",
                                                                 "view",
                                                                 "other",
                                                                 "activation_after_convolution",
                                                                 "activation_after_product",
                                                                 "addition_after_convolution",
                                                                 "addition_after_product",
                                                                 "scaling_after_convolution",
                                                                 "part_of_normalization",
                                                                 "part_of_gelu",
                                                                 "transpose_before_product",
                                                                 "reordering",
                                                                 "kernels"};

/// Goes through a graph once and says of every node which part of the time it is.
class PartFinder {
 public:
  PartFinder(const RewriteSpace& space, const Graph& graph)
      : graph_(graph), appraisal_(space, graph), parts_(graph.node_slots(), TimePart::other) {
    for (const NodeId id : topological_order(graph)) {
      if (appraisal_.is_free(graph.node(id))) continue;
      order_.push_back(id);
      parts_[id.index()] = sort_of(graph, graph.node(id));
    }
  }

  TimeParts find() {
    const std::vector<TimePart> sorts = parts_;
    mark_spelled_out(sorts);
    for (const NodeId id : order_) parts_[id.index()] = in_place(id, sorts);
    TimeParts found;
    for (const NodeId id : order_) {
      const TimePart part = parts_[id.index()];
      found[part] += appraisal_.seconds(graph_.node(id));
      const bool is_started = part != TimePart::view && part < TimePart::activation_after_convolution;
      found[TimePart::kernels] += is_started ? kKernelSeconds : 0;
    }
    found[TimePart::reordering] = reordered_bytes(sorts) / kReorderedBytesPerSecond;
    return found;
  }

 private:
  NodeId producer(ValueId id) const { return id.valid() ? graph_.value(id).producer : NodeId(); }

  /// What makes the value, if the value has no other reader and is no output: only then can a reader become part of it.
  std::optional<TimePart> maker(ValueId id, const std::vector<TimePart>& sorts) const {
    const NodeId made_by = producer(id);
    if (!made_by.valid() || graph_.users(id).size() != 1 || graph_.is_output(id)) return std::nullopt;
    return sorts[made_by.index()];
  }

  /// The part of a node where it stands.
  TimePart in_place(NodeId id, const std::vector<TimePart>& sorts) const {
    const TimePart part = parts_[id.index()], sort = sorts[id.index()];
    if (part != sort) return part;  // one of a group that is recognised
    const Node& node = graph_.node(id);
    if (sort == TimePart::transpose) return reads_product(node, sorts) ? TimePart::transpose_before_product : sort;
    for (const ValueId input : node.written_inputs()) {
      const std::optional<TimePart> before = maker(input, sorts);
      if (!before) continue;
      if (is_convolution(*before)) {
        if (sort == TimePart::activation) return TimePart::activation_after_convolution;
        if (sort == TimePart::addition) return TimePart::addition_after_convolution;
        if (node.op->name == "BatchNormalization" || (node.op->name == "Mul" && reads_constant(node)))
          return TimePart::scaling_after_convolution;
      }
      if (is_product(*before)) {
        if (sort == TimePart::activation) return TimePart::activation_after_product;
        if (sort == TimePart::addition && reads_constant(node)) return TimePart::addition_after_product;
      }
    }
    return sort;
  }

  bool reads_constant(const Node& node) const {
    return std::ranges::any_of(node.written_inputs(), [&](ValueId id) {
      return id.valid() && is_fixed(graph_, id, RuleSetting::Defaults::fixed);
    });
  }

  bool reads_product(const Node& transpose, const std::vector<TimePart>& sorts) const {
    const auto users = graph_.users(transpose.outputs[0]);
    return !users.empty() &&
           std::ranges::all_of(users, [&](const Use& use) { return is_product(sorts[use.node.index()]); });
  }

  /// Groups that runtimes recognise: the mean that is taken away at the beginning of a LayerNormalization with what
  /// follows it, and what stands around Erf in a Gelu.
  void mark_spelled_out(const std::vector<TimePart>& sorts) {
    for (const NodeId id : order_) {
      const Node& node = graph_.node(id);
      if (node.op->name == "Sub" && is_less_its_mean(node)) {
        constexpr int kSteps = 7;  // Pow, ReduceMean, Add, Sqrt, Div, Mul, Add
        mark(producer(node.inputs[1]), TimePart::part_of_normalization);
        mark_behind(id, TimePart::part_of_normalization, kSteps, sorts);
      } else if (node.op->name == "Erf") {
        constexpr int kSteps = 3;  // Add, Mul, Mul
        const NodeId scaled = producer(node.inputs[0]);
        if (scaled.valid() && is_pointwise(sorts[scaled.index()])) mark(scaled, TimePart::part_of_gelu);
        mark_behind(id, TimePart::part_of_gelu, kSteps, sorts);
      }
    }
  }

  bool is_less_its_mean(const Node& node) const {
    const NodeId mean = node.inputs.size() == 2 ? producer(node.inputs[1]) : NodeId();
    return mean.valid() && graph_.node(mean).op->name == "ReduceMean" && graph_.node(mean).inputs[0] == node.inputs[0];
  }

  void mark(NodeId id, TimePart part) { parts_[id.index()] = part; }

  void mark_behind(NodeId id, TimePart part, int steps, const std::vector<TimePart>& sorts) {
    mark(id, part);
    if (steps == 0) return;
    for (const Use& use : graph_.users(graph_.node(id).outputs[0])) {  // of what has one output each
      const TimePart sort = sorts[use.node.index()];
      const bool goes_on = is_pointwise(sort) || sort == TimePart::reduction;
      if (goes_on && parts_[use.node.index()] == sort) mark_behind(use.node, part, steps - 1, sorts);
    }
  }

  /// Bytes that enter or leave the blocked layout which convolutions and pooling work in, and which what stands between
  /// them can keep.
  double reordered_bytes(const std::vector<TimePart>& sorts) const {
    std::vector<bool> blocked(graph_.node_slots());
    const auto is_blocked = [&](ValueId id) {
      const NodeId made_by = producer(id);
      return made_by.valid() && blocked[made_by.index()];
    };
    const auto has_planes = [&](ValueId id) { return id.valid() && graph_.value(id).type.shape.size() == 4; };
    double bytes = 0;
    for (const NodeId id : order_) {
      const Node& node = graph_.node(id);
      const TimePart sort = sorts[id.index()];
      const bool asks =
          (is_convolution(sort) || sort == TimePart::pooling) && !node.outputs.empty() && has_planes(node.outputs[0]);
      const bool can = asks || is_pointwise(sort) || sort == TimePart::concatenation;
      bool all = true, any = false;
      for (const ValueId input : node.written_inputs()) {
        if (!has_planes(input) || is_fixed(graph_, input, RuleSetting::Defaults::fixed)) continue;
        all = all && is_blocked(input);
        any = any || is_blocked(input);
      }
      blocked[id.index()] = asks || (can && any && all);
      for (const ValueId input : node.written_inputs())
        if (has_planes(input) && !is_fixed(graph_, input, RuleSetting::Defaults::fixed) &&
            is_blocked(input) != blocked[id.index()])
          bytes += static_cast<double>(byte_size(graph_.value(input).type).value_or(0));
    }
    return bytes;
  }

  const Graph& graph_;
  Appraisal appraisal_;
  std::vector<NodeId> order_;    // of nodes that are computed in a run
  std::vector<TimePart> parts_;  // by node
};

}  // namespace

std::string_view name_of(TimePart part) { return kPartNames[static_cast<std::size_t>(part)]; }

double TimeParts::sum_of_nodes() const {
  return std::accumulate(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(TimePart::reordering), 0.0);
}

TimeParts time_parts(const RewriteSpace& space, const Graph& graph) { return PartFinder(space, graph).find(); }

}  // namespace hone
