#include "plan/problem/node_loop.h"

#include <algorithm>
#include <optional>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate.h"
#include "plan/problem/loop.h"

namespace hone {
namespace {

/// Where an operator that folds finds the axes it folds.
enum class FoldAxes : std::uint8_t {
  listed,        // `axes`, an attribute or the second input
  one,           // `axis`
  second_input,  // the number in the second input
  softmax,       // `axis`; before version 13 also all that follow
  from_axis,     // `axis` and all that follow
  last,          // the last one
  moments,       // `axes`, else all but the channels
  spatial,       // all after batch and channels
};

/// An operator that goes through its first input row by row.
struct Folding {
  std::string_view name;
  FoldAxes axes;
  bool keeps_points;  // it writes as many elements as it reads
};

// clang-format off
constexpr Folding kFoldings[] = {
    {"ArgMax", FoldAxes::one, false},               {"ArgMin", FoldAxes::one, false},
    {"CumProd", FoldAxes::second_input, true},      {"CumSum", FoldAxes::second_input, true},
    {"GlobalAveragePool", FoldAxes::spatial, false}, {"GlobalLpPool", FoldAxes::spatial, false},
    {"GlobalMaxPool", FoldAxes::spatial, false},    {"Hardmax", FoldAxes::softmax, true},
    {"InstanceNormalization", FoldAxes::spatial, true}, {"LayerNormalization", FoldAxes::from_axis, true},
    {"LogSoftmax", FoldAxes::softmax, true},        {"LpNormalization", FoldAxes::one, true},
    {"MeanVarianceNormalization", FoldAxes::moments, true}, {"RMSNormalization", FoldAxes::from_axis, true},
    {"ReduceL1", FoldAxes::listed, false},          {"ReduceL2", FoldAxes::listed, false},
    {"ReduceLogSum", FoldAxes::listed, false},      {"ReduceLogSumExp", FoldAxes::listed, false},
    {"ReduceMax", FoldAxes::listed, false},         {"ReduceMean", FoldAxes::listed, false},
    {"ReduceMin", FoldAxes::listed, false},         {"ReduceProd", FoldAxes::listed, false},
    {"ReduceSum", FoldAxes::listed, false},         {"ReduceSumSquare", FoldAxes::listed, false},
    {"SimplifiedLayerNormalization", FoldAxes::from_axis, true}, {"SkipLayerNormalization", FoldAxes::last, true},
    {"SkipSimplifiedLayerNormalization", FoldAxes::last, true}, {"Softmax", FoldAxes::softmax, true},
};

// Every result is found by itself, in a place that its index tells or a table does, or computed from a small window.
constexpr std::string_view kMaps[] = {
    "AffineGrid", "ArrayFeatureExtractor", "AveragePool", "CenterCropPad", "Concat", "ConstantOfShape", "DepthToSpace",
    "Expand", "EyeLike", "Gather", "GatherElements", "GatherND", "GridSample", "LRN", "LpPool", "MaxPool", "OneHot",
    "Pad", "QLinearAveragePool", "QLinearConcat", "Range", "Resize", "ReverseSequence", "RotaryEmbedding", "Shape",
    "Size", "Slice", "SpaceToDepth", "Split", "Tile", "Transpose", "Trilu", "Upsample",
};

constexpr std::string_view kContractions[] = {
    "Conv", "ConvInteger", "ConvTranspose", "DeformConv", "Einsum", "FusedConv", "FusedGemm", "FusedMatMul", "Gemm",
    "MatMul", "MatMulInteger", "MatMulIntegerToFloat", "MatMulNBits", "QLinearConv", "QLinearMatMul",
    "TransposeMatMul",
};
// clang-format on

using Sizes = std::vector<std::int64_t>;

Sizes sizes_of(const Type& type) {
  Sizes sizes;
  for (const Dim size : type.shape) sizes.push_back(size.value());
  return sizes;
}

/// True for a tensor of numbers whose size is known.
bool is_countable(const Type& type) {
  return type.is_static_tensor() && type.element != ElementType::string && element_count(type.shape).known();
}

/// Works out the loop of one node whose inputs and outputs are countable.
class NodeLoop : private NodeReader {
 public:
  NodeLoop(const Graph& graph, const OpEntry& entry, const Node& node, int version)
      : NodeReader(entry, node, version), graph_(graph), output_(first_output()) {}

  Loop find() const {
    if (!writes_alike() || is_random()) return {};
    Loop loop = by_kind();
    // Axes that a file lists may contradict the shapes it states.
    if (loop.results != points()) return {};
    // An omitted input is none of the operation's.
    for (std::size_t i = input_count(); i-- > 0;)
      if (!has_input(i)) loop.reads.erase(loop.reads.begin() + static_cast<std::ptrdiff_t>(i));
    return loop;
  }

 private:
  Loop by_kind() const {
    const std::string_view name = entry().name;
    switch (entry().kind) {
      case OpKind::pointwise: return pointwise();
      case OpKind::view: return view();
      case OpKind::movement: return std::ranges::find(kMaps, name) != std::end(kMaps) ? movement() : Loop{};
      case OpKind::reduction: return reduction();
      case OpKind::contraction:
        if (std::ranges::find(kContractions, name) == std::end(kContractions)) return {};
        return contraction_loop(points(), input_count());
      case OpKind::opaque: break;
    }
    return {};
  }

  Sizes first_output() const {
    for (const ValueId output : node().outputs)
      if (output.valid()) return sizes_of(graph_.value(output).type);
    return {};
  }

  /// Outputs all have as many elements, and some.
  bool writes_alike() const {
    std::optional<Dim> elements;
    for (const ValueId output : node().outputs) {
      if (!output.valid()) continue;
      const Dim count = element_count(graph_.value(output).type.shape);
      if (elements && count != *elements) return false;
      elements = count;
    }
    return elements && elements->value() > 0;
  }

  bool is_random() const {
    if (entry().deterministic) return false;
    // Dropout is random in training alone.
    return !(entry().name == "Dropout" && version() >= 7 && (!has_input(2) || known(2) == Sizes{0}));
  }

  double points() const {
    double count = 1;
    for (const std::int64_t size : output_) count *= static_cast<double>(size);
    return count;
  }

  Sizes input(std::size_t i) const { return sizes_of(graph_.value(node().inputs[i]).type); }

  /// What a constant input holds; nullopt when that is known only to a run.
  std::optional<Sizes> known(std::size_t i) const {
    const Value& value = graph_.value(node().inputs[i]);
    if (value.constant && !graph_.is_input(node().inputs[i])) return value.constant->integers();
    if (!value.producer.valid() || !graph_.node(value.producer).op->is("Constant")) return std::nullopt;
    const Node& constant = graph_.node(value.producer);
    if (const Attribute* held = constant.attribute("value"))
      if (const auto* tensor = std::get_if<Tensor>(&held->value)) return tensor->integers();
    if (const Attribute* held = constant.attribute("value_ints"))
      if (const auto* list = std::get_if<std::vector<std::int64_t>>(&held->value)) return *list;
    if (const Attribute* held = constant.attribute("value_int"))
      if (const auto* number = std::get_if<std::int64_t>(&held->value)) return Sizes{*number};
    return std::nullopt;
  }

  std::vector<Access> all_other() const { return std::vector<Access>(input_count(), Access::other); }

  /// An input whose first axis stands at axis `at` of the output, stretched along all axes that it does not have.
  Access placed(std::size_t i, std::size_t at) const {
    if (!has_input(i)) return Access::other;
    const Sizes own = input(i);
    if (at + own.size() > output_.size()) return Access::other;
    Sizes stretched(output_.size(), 1);
    std::ranges::copy(own, stretched.begin() + static_cast<std::ptrdiff_t>(at));
    return access_of(stretched, output_);
  }

  /// An input whose last axis is the last of the output.
  Access broadcast(std::size_t i) const {
    if (!has_input(i)) return Access::other;
    const std::size_t rank = input(i).size();
    return rank > output_.size() ? Access::other : placed(i, output_.size() - rank);
  }

  Loop pointwise() const {
    // Before version 7 operands of unequal shapes were aligned in ways of their own.
    const bool aligns_ends = version() >= 7 || !entry().domain.empty();
    std::vector<Access> reads = all_other();
    for (std::size_t i = 0; i < reads.size(); ++i)
      if (has_input(i) && (aligns_ends || input(i) == output_)) reads[i] = broadcast(i);
    return map_loop(points(), std::move(reads));
  }

  Loop view() const {
    std::vector<Access> reads = all_other();
    reads[0] = Access::same;
    return map_loop(points(), std::move(reads));
  }

  Loop movement() const {
    const std::string_view name = entry().name;
    if (name == "Resize" && version() >= 18 && integer("antialias") != 0) return {};
    std::vector<Access> reads = all_other();
    if (name == "Expand") reads[0] = broadcast(0);
    if (name == "Trilu") reads[0] = Access::same;
    if (name == "Transpose" && keeps_order(permutation(), input(0))) reads[0] = Access::same;
    if (name == "Gather") reads[1] = placed(1, normalize_axis(*this, integer("axis"), input(0).size()));
    if (name == "GatherElements") reads[1] = Access::same;
    if (name == "OneHot") reads[0] = beside_classes();
    return map_loop(points(), std::move(reads));
  }

  Sizes permutation() const {
    if (has_attribute("perm")) return integers("perm");
    Sizes backwards;
    for (std::size_t i = input(0).size(); i-- > 0;) backwards.push_back(static_cast<std::int64_t>(i));
    return backwards;
  }

  /// OneHot's classes: the output has one axis more, along which they are the same.
  Access beside_classes() const {
    Sizes stretched = input(0);
    if (stretched.size() + 1 != output_.size()) return Access::other;
    const std::size_t axis = normalize_axis(*this, integer("axis"), output_.size());
    stretched.insert(stretched.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    return access_of(stretched, output_);
  }

  Loop reduction() const {
    const std::string_view name = entry().name;
    if (std::ranges::find(kMaps, name) != std::end(kMaps)) return map_loop(points(), all_other());
    if (name == "BatchNormalization") return batch_normalization();
    if (name == "GroupNormalization") return group_normalization();
    const auto* folding = std::ranges::find(kFoldings, name, &Folding::name);
    if (folding == std::end(kFoldings)) return {};
    const std::optional<std::vector<bool>> folded = folded_axes(folding->axes);
    const Sizes sizes = input(0);
    if (!folded || std::ranges::count(sizes, 0) > 0) return {};
    std::vector<Access> reads = parameters(folding->axes);
    return folding->keeps_points ? row_loop(sizes, *folded, std::move(reads))
                                 : fold_loop(sizes, *folded, std::move(reads));
  }

  /// How a folding reads its inputs: the data point by point, scales and shifts as they are stretched over it.
  std::vector<Access> parameters(FoldAxes axes) const {
    std::vector<Access> reads = all_other();
    reads[0] = Access::same;
    for (std::size_t i = 1; i < reads.size(); ++i) {
      if (axes == FoldAxes::spatial) reads[i] = placed(i, 1);
      if (axes == FoldAxes::from_axis || axes == FoldAxes::last) reads[i] = broadcast(i);
    }
    return reads;
  }

  /// By axis of the first input; nullopt when only a run knows.
  std::optional<std::vector<bool>> folded_axes(FoldAxes where) const {
    const std::size_t rank = input(0).size();
    std::vector<bool> folded(rank);
    const auto fold_from = [&](std::size_t first) {
      for (std::size_t i = first; i < rank; ++i) folded[i] = true;
      return folded;
    };
    if (rank == 0) return folded;
    switch (where) {
      case FoldAxes::listed: return listed_axes();
      case FoldAxes::moments: return moment_axes();
      case FoldAxes::last: return fold_from(rank - 1);
      case FoldAxes::spatial: return fold_from(2);
      case FoldAxes::from_axis: return fold_from(normalize_axis(*this, integer("axis"), rank));
      case FoldAxes::softmax:
        if (version() < 13 && integer("axis") == static_cast<std::int64_t>(rank)) return folded;
        if (version() < 13) return fold_from(normalize_axis(*this, integer("axis"), rank));
        [[fallthrough]];
      case FoldAxes::one: return marked({integer("axis")});
      case FoldAxes::second_input: break;
    }
    const std::optional<Sizes> axis = known(1);
    return axis && axis->size() == 1 ? std::optional(marked(*axis)) : std::nullopt;
  }

  std::vector<bool> marked(const Sizes& axes) const {
    const std::size_t rank = input(0).size();
    std::vector<bool> folded(rank);
    for (const std::size_t axis : normalize_axes(*this, axes, rank)) folded[axis] = true;
    return folded;
  }

  std::optional<std::vector<bool>> listed_axes() const {
    std::optional<Sizes> axes = has_input(1) ? known(1) : integers("axes");
    if (!axes) return axes_by_shape();
    if (!axes->empty()) return marked(*axes);
    const bool none = has_noop() && integer("noop_with_empty_axes") != 0;
    return std::vector<bool>(input(0).size(), !none);
  }

  bool has_noop() const {
    return std::ranges::any_of(entry().attributes, [this](const AttributeSpec& attribute) {
      return attribute.name == "noop_with_empty_axes" && attribute.first <= version();
    });
  }

  /// Axes of which one element is left; nullopt when the output does not keep them.
  std::optional<std::vector<bool>> axes_by_shape() const {
    const Sizes sizes = input(0);
    if (sizes.size() != output_.size()) return std::nullopt;
    std::vector<bool> folded(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) folded[i] = output_[i] != sizes[i];
    return folded;
  }

  std::optional<std::vector<bool>> moment_axes() const {
    if (version() < 9) return std::nullopt;
    if (has_attribute("axes")) return marked(integers("axes"));
    std::vector<bool> folded(input(0).size(), true);
    if (folded.size() > 1) folded[1] = false;
    return folded;
  }

  /// Once trained, a batch normalisation scales and shifts every channel.
  Loop batch_normalization() const {
    const bool trains = version() >= 14 ? integer("training_mode") != 0 : version() < 7 || wants_output(1);
    if (trains || (version() < 9 && integer("spatial") == 0)) return {};
    std::vector<Access> reads = all_other();
    reads[0] = Access::same;
    for (std::size_t i = 1; i < reads.size(); ++i) reads[i] = placed(i, 1);
    return map_loop(points(), std::move(reads));
  }

  /// Channels of a group follow one another: its rows are the groups of every sample.
  Loop group_normalization() const {
    const Sizes sizes = input(0);
    const std::int64_t groups = integer("num_groups");
    if (sizes.size() < 2 || groups < 1 || sizes[1] % groups != 0) return {};
    Sizes split = {sizes[0], groups, sizes[1] / groups};
    split.insert(split.end(), sizes.begin() + 2, sizes.end());
    std::vector<bool> in_row(split.size(), true);
    in_row[0] = in_row[1] = false;
    return row_loop(split, in_row, parameters(FoldAxes::spatial));
  }

  const Graph& graph_;
  Sizes output_;
};

}  // namespace

Loop loop_of(const Model& model, NodeId id) {
  const Graph& graph = model.graph;
  const Node& node = graph.node(id);
  const Definition definition = definition_of(node, model.opsets);
  if (definition.entry == nullptr || model.function(node.op) != nullptr) return {};
  const auto countable = [&](ValueId value) { return !value.valid() || is_countable(graph.value(value).type); };
  if (!std::ranges::all_of(node.inputs, countable) || !std::ranges::all_of(node.outputs, countable)) return {};
  return NodeLoop(graph, *definition.entry, node, definition.version).find();
}

}  // namespace hone
