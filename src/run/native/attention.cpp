#include "run/native/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "graph/loops/group_nest.h"
#include "graph/ops/axes.h"
#include "run/native/band_step.h"
#include "run/native/computed_product.h"
#include "run/native/loop_step.h"
#include "run/native/onednn.h"

namespace hone::native {
namespace {

constexpr std::int64_t kBlockElements = 64 * 1024;     // of scores: they and their weights fill half of a second cache
constexpr double kAttentionPointNanoseconds = 1;       // of what is done to a score between the products
constexpr double kAttentionProductNanoseconds = 0.02;  // of a multiplication and an addition

Dims static_dims(const Graph& graph, ValueId id) {
  Dims dims;
  for (const Dim dim : graph.value(id).type.shape) dims.push_back(dim.value());
  return dims;
}

bool is_product(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.op->is("MatMul") || !node.op->domain.empty()) return false;
  for (const ValueId input : node.inputs)
    if (graph.value(input).constant || graph.value(input).type.element != ElementType::float32) return false;
  return static_dims(graph, node.inputs[0]).size() >= 2 && static_dims(graph, node.inputs[1]).size() >= 2;
}

/// Whether an operator makes a row of its result from the same row of a value, and of all else that it reads.
bool keeps_rows(const Model& model, NodeId id, ValueId value) {
  const Graph& graph = model.graph;
  const Node& node = graph.node(id);
  const Dims dims = static_dims(graph, value);
  if (node.outputs.size() != 1 || !(static_dims(graph, node.outputs[0]) == dims)) return false;
  if (graph.value(node.outputs[0]).type.element != ElementType::float32) return false;
  const auto loop = operator_loop(graph, id, model.opsets);
  if (!loop || !loop->body || !(loop->space == dims)) return false;
  if (std::ranges::any_of(loop->folded, [&](std::size_t axis) { return axis + 1 != dims.size(); })) return false;
  return std::ranges::all_of(node.written_inputs(), [&](ValueId input) {
    return input.valid() && static_dims(graph, input).size() <= dims.size();
  });
}

/// So many rows that they divide all, and that their scores stay in a cache.
std::int64_t block_rows(std::int64_t rows, std::int64_t columns) {
  std::int64_t best = std::clamp<std::int64_t>(kBlockElements / columns, 1, rows);
  while (rows % best != 0) --best;
  constexpr std::int64_t kLeast = 16;  // thinner products are slow
  return best < kLeast ? rows : best;
}

/// The last two axes of a view, the first of which has so many points.
LoopView block_view(const LoopView& view, std::int64_t rows) {
  const std::size_t rank = view.dims.size();
  return {.element = view.element,
          .dims = {rows, view.dims[rank - 1]},
          .strides = {view.strides[rank - 2], view.strides[rank - 1]}};
}

/// Has the elements of a value lie dense after the transposition that alone reads it, where there is one.
LoopView view_for_reader(const Lowering& lowering, ValueId id) {
  const Graph& graph = lowering.graph();
  const Dims dims = lowering.dims(id);
  const LoopView dense = dense_view(ElementType::float32, dims);
  if (graph.users(id).size() != 1 || graph.is_output(id)) return dense;
  const Node& reader = graph.node(graph.users(id)[0].node);
  const Attribute* order = reader.op->is("Transpose") ? reader.attribute("perm") : nullptr;
  if (order == nullptr) return dense;
  const auto& axes = std::get<std::vector<std::int64_t>>(order->value);
  if (axes.back() + 1 != static_cast<std::int64_t>(dims.size())) return dense;
  LoopView view = dense;
  const Dims strides = strides_of(lowering.dims(reader.outputs[0]));
  for (std::size_t i = 0; i < axes.size(); ++i) view.strides[static_cast<std::size_t>(axes[i])] = strides[i];
  return view;
}

/// Lowers one attention.
class AttentionLowering {
 public:
  AttentionLowering(Lowering& lowering, const Attention& attention)
      : lowering_(lowering),
        attention_(attention),
        scores_(lowering.graph().node(attention.scores)),
        mixture_(lowering.graph().node(attention.mixture)),
        dims_(lowering.dims(scores_.outputs[0])),
        rows_(dims_[dims_.size() - 2]),
        columns_(dims_[dims_.size() - 1]) {}

  bool lower() {
    if (!is_ready() || element_count(dims_) == 0) return false;
    const ValueId queries = scores_.inputs[0], keys = scores_.inputs[1], values = mixture_.inputs[1];
    if (element_count(lowering_.dims(queries)) == 0 || element_count(lowering_.dims(values)) == 0) return false;
    block_rows_ = block_rows(rows_, columns_);
    take_out_of_blocks();
    const std::optional<GroupNest> nest = block_nest();
    if (!nest) return false;

    const ValueId result = mixture_.outputs[0];
    std::vector<Stored> matrices;  // of one block, in arrays of the band
    for (const ValueId id : {queries, keys, values}) {
      const Stored stored = with_matrices(id);
      const std::int64_t rows = id == queries ? block_rows_ : stored.view.dims[stored.view.dims.size() - 2];
      matrices.push_back({.array = add_operand(stored, id == queries), .view = block_view(stored.view, rows)});
    }
    const Stored to = lowering_.allocate(result, view_for_reader(lowering_, result));
    matrices.push_back({.array = add_operand(to, true), .view = block_view(to.view, block_rows_)});
    work_.operands.back().is_written = true;
    add_step(*nest, matrices);
    for (const NodeId id : attention_.between) lowering_.mark_done(id);
    lowering_.mark_done(attention_.mixture);
    return true;
  }

 private:
  /// Whether all of it belongs to the group at hand, and what it reads is there.
  bool is_ready() const {
    ValueId value = scores_.outputs[0];
    for (const NodeId id : attention_.between) {
      const auto reader = lowering_.only_reader(value);
      if (!reader || *reader != id) return false;
      for (const ValueId input : lowering_.graph().node(id).written_inputs())
        if (input != value && !lowering_.is_stored(input)) return false;
      value = lowering_.graph().node(id).outputs[0];
    }
    const auto reader = lowering_.only_reader(value);
    if (!reader || *reader != attention_.mixture || !lowering_.is_stored(mixture_.inputs[1])) return false;
    const Dims mixed = lowering_.dims(mixture_.outputs[0]);
    return mixed.size() == dims_.size() && std::equal(dims_.begin(), dims_.end() - 2, mixed.begin());
  }

  /// Channels in blocks are no rows.
  void take_out_of_blocks() {
    for (const NodeId id : attention_.between)
      for (const ValueId input : lowering_.graph().node(id).written_inputs()) {
        if (!lowering_.is_stored(input)) continue;  // one of the band's own
        const LoopView view = lowering_.stored(input).view;
        if (view.has_blocks) lowering_.put(input, lowering_.laid_out(input, dense_view(view.element, view.dims)));
      }
  }

  Stored with_matrices(ValueId id) {
    const Stored there = lowering_.stored(id);
    const bool lies_well = id == scores_.inputs[0] && PackedProduct::is_available()
                               ? has_rows(there.view)
                               : matrix_layout(there.view).has_value();
    if (lies_well) return there;
    return lowering_.laid_out(id, dense_view(there.view.element, there.view.dims));
  }

  /// Where each block begins in an array; along axes of one element it stays where it is.
  ArrayId add_operand(const Stored& stored, bool goes_by_rows) {
    BandStep::Operand operand{.place = stored.place(), .offset_bytes = {}};
    Dims stack;
    for (std::size_t axis = 0; axis + 2 < dims_.size(); ++axis) stack.push_back(dims_[axis]);
    const LoopView& view = stored.view;
    const std::size_t rank = view.dims.size(), missing = dims_.size() - rank;
    for (StridedWalk walk(stack, {}); !walk.done(); walk.next()) {
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis + 2 < rank; ++axis)
        if (view.dims[axis] != 1) offset += walk.index(missing + axis) * view.strides[axis];
      const bool moves = goes_by_rows && rank >= 2 && view.dims[rank - 2] != 1;
      for (std::int64_t row = 0; row < rows_; row += block_rows_)
        operand.offset_bytes.push_back((offset + (moves ? row * view.strides[rank - 2] : 0)) * stored.element_bytes());
    }
    work_.operands.push_back(std::move(operand));
    return ArrayId(work_.operands.size() - 1);
  }

  /// What lies between the products, for the scores of one block, as a graph of its own.
  std::optional<GroupNest> block_nest() {
    std::map<ValueId, ValueId> in_block;
    const auto add = [&](ValueId id) {
      const Value& value = lowering_.graph().value(id);
      const Tensor* constant = lowering_.constant(id);
      if (constant != nullptr && constant->count() == 1) return block_.add_constant(value.name, *constant);
      Type type = value.type;
      const std::size_t rank = type.shape.size();
      for (std::size_t axis = 0; axis + 1 < rank; ++axis)
        if (type.shape[axis].value() != 1) type.shape[axis] = Dim(axis + 2 == rank ? block_rows_ : 1);
      return block_.add_input(value.name, type);
    };
    std::vector<NodeId> nodes;
    in_block[scores_.outputs[0]] = first_ = add(scores_.outputs[0]);
    for (const NodeId id : attention_.between) {
      const Node& node = lowering_.graph().node(id);
      std::vector<ValueId> inputs;
      for (const ValueId input : node.written_inputs()) {
        if (!in_block.contains(input)) in_block[input] = add(input);
        inputs.push_back(in_block.at(input));
      }
      last_ = block_.add_value(node.name, block_.value(first_).type);
      in_block[node.outputs[0]] = last_;
      nodes.push_back(block_.add_node(node.op, inputs, std::array{last_}, *node.attributes, node.name));
    }
    for (const auto& [outside, inside] : in_block) outside_[inside] = outside;
    return group_nest({.graph = block_,
                       .opsets = lowering_.model().opsets,
                       .nodes = nodes,
                       .outputs = {last_},
                       .view_of = [this](ValueId id) { return view_in_block(id); }})
        .nest;
  }

  LoopView view_in_block(ValueId id) {
    const Dims dims = static_dims(block_, id);
    if (id == first_ || id == last_) return dense_view(ElementType::float32, dims);
    LoopView view = lowering_.stored(outside_.at(id)).view;
    view.dims = dims;
    view.offset = 0;
    return view;
  }

  void add_step(const GroupNest& nest, const std::vector<Stored>& matrices) {
    std::vector<ArrayPlace> places(nest.values.size());
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
      if (nest.values[i] == first_ || nest.values[i] == last_) continue;
      places[i].array = add_operand(lowering_.stored(outside_.at(nest.values[i])), true);
    }
    const ArrayId scores(work_.operands.size()), weights(work_.operands.size() + 1);
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
      if (nest.values[i] == first_) places[i].array = scores;
      if (nest.values[i] == last_) places[i].array = weights;
      places[i].offset_bytes = nest.offsets[i] * bit_width(nest.nest.operands[i].element) / 8;
    }
    const auto block_bytes = static_cast<std::size_t>(block_rows_ * columns_) * sizeof(float);
    work_.between_bytes = {block_bytes, block_bytes};
    work_.nanoseconds = nanoseconds();
    const LoopView block = dense_view(ElementType::float32, {block_rows_, columns_});
    const Stored before{scores, block}, after{weights, block};
    std::string between;
    for (const NodeId id : attention_.between) between += lowering_.graph().node(id).op->name + "+";
    lowering_.add_step(std::make_unique<BandStep>(std::move(work_),
                                                  [&] {
                                                    BandStep::Steps steps;
                                                    steps.push_back(product_step(matrices[0], matrices[1], before));
                                                    steps.push_back(std::make_unique<LoopStep>(nest.nest, places));
                                                    steps.push_back(product_step(after, matrices[2], matrices[3]));
                                                    return steps;
                                                  }),
                       attention_.mixture, fmt::format("band of {} rows MatMul+{}MatMul", block_rows_, between));
  }

  static std::unique_ptr<Step> product_step(const Stored& a, const Stored& b, const Stored& result) {
    if (PackedProduct::is_available())
      return std::make_unique<ComputedProduct>(ComputedProduct::Matrices{a, b, result}, ComputedProduct::Bias(),
                                               std::vector<ProductStep::Finish>());
    const Layout a_layout = *matrix_layout(a.view), b_layout = *matrix_layout(b.view),
                 result_layout = *matrix_layout(result.view);
    const dnnl::matmul::primitive_desc primitive(dnnl::matmul::desc(a_layout, b_layout, result_layout),
                                                 onednn_attributes({}), onednn_engine());
    return std::make_unique<OneDnnStep>(
        dnnl::matmul(primitive), primitive.scratchpad_desc(),
        std::vector<OneDnnStep::Argument>{{DNNL_ARG_SRC, {a.array}, a_layout},
                                          {DNNL_ARG_WEIGHTS, {b.array}, b_layout},
                                          {DNNL_ARG_DST, {result.array}, result_layout}},
        std::vector<OneDnnStep::Held>());
  }

  double nanoseconds() const {
    const Dims queries = lowering_.dims(scores_.inputs[0]), values = lowering_.dims(mixture_.inputs[1]);
    const std::int64_t depth = queries[queries.size() - 1] + values[values.size() - 1];
    return static_cast<double>(element_count(dims_)) *
           (kAttentionPointNanoseconds + kAttentionProductNanoseconds * static_cast<double>(depth));
  }

  Lowering& lowering_;
  const Attention& attention_;
  const Node &scores_, &mixture_;
  Dims dims_;  // of all scores
  std::int64_t rows_, columns_, block_rows_ = 0;
  Graph block_;                         // what is done to the scores of one block
  ValueId first_, last_;                // the scores and the weights of it
  std::map<ValueId, ValueId> outside_;  // by value of it
  BandStep::Work work_;
};

}  // namespace

std::optional<Attention> find_attention(const Model& model, NodeId scores) {
  const Graph& graph = model.graph;
  if (!is_product(graph, scores)) return std::nullopt;
  Attention attention{.scores = scores, .mixture = {}, .between = {}};
  for (ValueId value = graph.node(scores).outputs[0];;) {
    if (graph.users(value).size() != 1 || graph.is_output(value)) return std::nullopt;
    const NodeId reader = graph.users(value)[0].node;
    if (!attention.between.empty() && is_product(graph, reader) && graph.node(reader).inputs[0] == value) {
      attention.mixture = reader;
      return attention;
    }
    if (!keeps_rows(model, reader, value)) return std::nullopt;
    attention.between.push_back(reader);
    value = graph.node(reader).outputs[0];
  }
}

NodeGroups with_attention_together(const Model& model, NodeGroups groups) {
  std::map<NodeId, std::size_t> home;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const NodeId id : groups[i].nodes)
      if (std::ranges::count(groups[i].copies, id) == 0) home[id] = i;
  for (const NodeId id : model.graph.nodes()) {
    const auto attention = find_attention(model, id);
    if (!attention || !home.contains(attention->mixture)) continue;
    std::vector<NodeId> together{attention->scores};
    together.insert(together.end(), attention->between.begin(), attention->between.end());
    for (NodeGroup& group : groups)
      std::erase_if(group.nodes, [&](NodeId node) { return std::ranges::count(together, node) > 0; });
    std::vector<NodeId>& last = groups[home.at(attention->mixture)].nodes;
    last.insert(std::ranges::find(last, attention->mixture), together.begin(), together.end());
  }
  return groups;
}

bool lower_attention(Lowering& lowering, NodeId scores) {
  const auto attention = find_attention(lowering.model(), scores);
  return attention && AttentionLowering(lowering, *attention).lower();
}

}  // namespace hone::native
