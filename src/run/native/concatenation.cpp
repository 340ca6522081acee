#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate.h"
#include "run/native/copy_step.h"
#include "run/native/lowering.h"

// Concatenations: whoever computes an input writes it where it belongs, if it can.

namespace hone::native {
namespace {

std::optional<std::size_t> axis_of_concat(const Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Definition definition = definition_of(node, lowering.model().opsets);
  const std::size_t rank = lowering.dims(node.outputs[0]).size();
  if (definition.entry == nullptr || rank == 0) return std::nullopt;
  const NodeReader reader(*definition.entry, node, definition.version);
  return normalize_axis(reader, reader.integer("axis"), rank);
}

/// The part of a view from `first` on along an axis, as large as `dims`; nothing where a block would be cut.
std::optional<LoopView> part_of(const LoopView& whole, std::size_t axis, std::int64_t first, const Dims& dims) {
  LoopView part = whole;
  part.dims = dims;
  const bool in_blocks = whole.has_blocks && axis == 1;
  if (in_blocks && (first % LoopView::kBlock != 0 || dims[1] % LoopView::kBlock != 0)) return std::nullopt;
  part.offset += (in_blocks ? first / LoopView::kBlock : first) * whole.strides[axis];
  return part;
}

}  // namespace

/// Where a value goes into several concatenations, the largest takes it; others may find their inputs side by side
/// there.
void Lowering::find_concatenations() {
  for (const NodeId id : graph().nodes()) {
    const Node& node = graph().node(id);
    if (!node.op->is("Concat") || !graph().value(node.outputs[0]).type.is_static_tensor()) continue;
    const auto axis = axis_of_concat(*this, id);
    if (!axis || !has_loop_type(graph().value(node.outputs[0]).type.element)) continue;
    const std::int64_t count = element_count(dims(node.outputs[0]));
    joints_.push_back({.output = node.outputs[0], .axis = *axis, .stored = {}});
    std::int64_t first = 0;
    for (const ValueId input : node.inputs) {
      const auto known = joint_of_.find(input);
      const bool larger = known == joint_of_.end() || element_count(dims(joints_[known->second.joint].output)) < count;
      if (larger && graph().value(input).producer.valid() && std::ranges::count(node.inputs, input) == 1)
        joint_of_[input] = {.joint = joints_.size() - 1, .first = first};
      first += dims(input)[*axis];
      joints_.back().cuts_blocks |= dims(input)[*axis] % LoopView::kBlock != 0;
    }
  }
}

/// As the value would lie by itself, but for where it begins: whoever writes it needs to know no more.
std::optional<Stored> Lowering::place_in_concatenation(ValueId id, const LoopView& view) {
  auto part = part_of_concatenation(id, view);
  for (std::size_t axis = 0; part && axis < view.dims.size(); ++axis)
    if (view.dims[axis] > 1 && part->view.strides[axis] != view.strides[axis]) return std::nullopt;
  return part;
}

std::optional<Stored> Lowering::part_of_concatenation(ValueId id, const LoopView& view) {
  const auto found = joint_of_.find(id);
  if (found == joint_of_.end()) return std::nullopt;
  Joint& joint = joints_[found->second.joint];
  const Dims whole = dims(joint.output);
  if (!joint.stored) {
    LoopView layout = dense_view(view.element, whole);
    if (view.has_blocks) layout = blocked_view(view.element, whole);
    else if (whole.size() >= 3 && !is_dense(view)) layout = channels_last_view(view.element, whole);
    if (view.has_blocks && (joint.axis != 1 || joint.cuts_blocks || whole[0] != 1)) return std::nullopt;
    joint.stored = Stored{.array = add_array({.bytes = static_cast<std::size_t>(span_of(layout)) *
                                                       static_cast<std::size_t>(bit_width(view.element)) / 8,
                                              .constant = {}}),
                          .view = layout};
  }
  const auto part = part_of(joint.stored->view, joint.axis, found->second.first, view.dims);
  if (!part || part->has_blocks != view.has_blocks) return std::nullopt;
  return Stored{.array = joint.stored->array, .view = *part};
}

bool lower_concat(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const auto axis = axis_of_concat(lowering, id);
  const ValueId output = node.outputs[0];
  if (!axis || !has_loop_type(lowering.graph().value(output).type.element)) return false;
  const auto joint = std::ranges::find(lowering.joints_, output, &Lowering::Joint::output);
  // Inputs that lie side by side in order are the output already.
  const Stored first = lowering.stored(node.inputs[0]);
  LoopView side_by_side = first.view;
  side_by_side.dims = lowering.dims(output);
  std::int64_t index = 0;
  bool are_there = true;
  for (const ValueId input : node.inputs) {
    const Stored place = lowering.stored(input);
    const auto part = part_of(side_by_side, *axis, index, place.view.dims);
    are_there &= place.array == first.array && part && *part == place.view;
    index += place.view.dims[*axis];
  }
  if (are_there && lowering.constant(node.inputs[0]) == nullptr) {
    lowering.put(output, {.array = first.array, .view = side_by_side});
    return true;
  }
  if (joint != lowering.joints_.end() && joint->stored) lowering.put(output, *joint->stored);
  else lowering.allocate(output, lowering.concatenated_view(id));
  const Stored whole = lowering.stored(output);
  index = 0;
  for (const ValueId input : node.inputs) {
    const Stored from = lowering.stored(input);
    const auto part = part_of(whole.view, *axis, index, from.view.dims);
    HONE_CHECK(part.has_value(), "a concatenation cuts a block");
    const Stored to{.array = whole.array, .view = *part};
    const bool is_there = from.array == to.array && from.view == to.view;
    if (!is_there && element_count(from.view.dims) > 0) lowering.add_step(copy_step(from, to), id, "copy Concat");
    index += from.view.dims[*axis];
  }
  return true;
}

/// As all its inputs lie, where they lie alike.
LoopView Lowering::concatenated_view(NodeId id) {
  const Node& node = graph().node(id);
  const Dims whole = dims(node.outputs[0]);
  const ElementType element = graph().value(node.outputs[0]).type.element;
  bool blocks = whole.size() >= 3, last = whole.size() >= 3;
  for (const ValueId input : node.inputs) {
    const LoopView view = stored(input).view;
    blocks &= view.has_blocks && view.dims[1] % LoopView::kBlock == 0;
    last &= !view.has_blocks && view.strides.size() >= 3 && view.dims[1] > 1 && view.strides[1] == 1;
  }
  if (blocks) return blocked_view(element, whole);
  return last ? channels_last_view(element, whole) : dense_view(element, whole);
}

namespace {
const LoweringTable concatenations({{"Concat", lower_concat}});
}

}  // namespace hone::native
