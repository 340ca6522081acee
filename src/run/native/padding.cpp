#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate.h"
#include "run/native/copy_step.h"
#include "run/native/fill_step.h"
#include "run/native/lowering.h"

// Pad with one element: a fill, and a copy into the middle.

namespace hone::native {
namespace {

/// What is added in front of each axis and behind it; negative where it is cut.
struct AxisPads {
  std::vector<std::int64_t> begins, ends;
};

std::optional<AxisPads> pads_of(const Lowering& lowering, const NodeReader& reader, std::size_t rank) {
  std::vector<std::int64_t> pads;
  if (reader.version() < 11) pads = reader.integers(reader.version() == 1 ? "paddings" : "pads");
  else if (const Tensor* given = lowering.constant(reader.node().inputs[1])) pads = given->integers();
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (reader.has_input(3)) {
    const Tensor* given = lowering.constant(reader.node().inputs[3]);
    if (given == nullptr) return std::nullopt;
    axes = given->integers();
  }
  if (pads.size() != 2 * axes.size()) return std::nullopt;
  AxisPads result{.begins = std::vector<std::int64_t>(rank, 0), .ends = std::vector<std::int64_t>(rank, 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = normalize_axis(reader, axes[i], rank);
    result.begins[axis] = pads[i];
    result.ends[axis] = pads[axes.size() + i];
  }
  return result;
}

/// The element that is filled in.
std::optional<ArrayPlace> value_of(Lowering& lowering, const NodeReader& reader, ElementType element) {
  if (reader.has_input(2)) {
    const ValueId value = reader.node().inputs[2];
    if (element_count(lowering.dims(value)) != 1) return std::nullopt;
    return lowering.stored(value).place();
  }
  Tensor value = Tensor::zeros(element, {});
  if (reader.version() < 11) value.set_number(0, reader.number("value"));
  return ArrayPlace{
      .array = lowering.add_array({.kind = Array::Kind::constant, .bytes = value.bytes().size(), .constant = value})};
}

/// The part of the input that is kept, and the part of the result that it goes into.
struct PaddedParts {
  Stored from, to;
};

PaddedParts parts_of(const Stored& from, const Stored& to, const AxisPads& pads) {
  PaddedParts parts{.from = from, .to = to};
  for (std::size_t axis = 0; axis < pads.begins.size(); ++axis) {
    const std::int64_t cut = std::max<std::int64_t>(-pads.begins[axis], 0);
    parts.from.view.dims[axis] -= cut + std::max<std::int64_t>(-pads.ends[axis], 0);
    parts.from.view.offset += cut * from.view.strides[axis];
    parts.to.view.offset += std::max<std::int64_t>(pads.begins[axis], 0) * to.view.strides[axis];
  }
  parts.to.view.dims = parts.from.view.dims;
  return parts;
}

bool lower_pad(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Definition definition = definition_of(node, lowering.model().opsets);
  const NodeReader reader(*definition.entry, node, definition.version);
  const Dims dims = lowering.dims(node.outputs[0]);
  const ElementType element = lowering.graph().value(node.outputs[0]).type.element;
  if (reader.text("mode") != "constant" || !has_loop_type(element)) return false;
  const auto pads = pads_of(lowering, reader, dims.size());
  if (!pads) return false;
  const auto value = value_of(lowering, reader, element);
  if (!value) return false;
  Stored from = lowering.stored(node.inputs[0]);
  const bool cuts = std::ranges::any_of(pads->begins, [](std::int64_t pad) { return pad < 0; }) ||
                    std::ranges::any_of(pads->ends, [](std::int64_t pad) { return pad < 0; });
  if (cuts) from = lowering.laid_out(node.inputs[0], dense_view(element, lowering.dims(node.inputs[0])));
  const Stored to = lowering.allocate(node.outputs[0], dense_view(element, dims));
  const auto element_bytes = static_cast<std::size_t>(bit_width(element)) / 8;
  const std::size_t bytes = static_cast<std::size_t>(span_of(to.view)) * element_bytes;
  lowering.add_step(fill_step(to.place(), bytes, *value, element_bytes), id, "fill Pad");
  const PaddedParts parts = parts_of(from, to, *pads);
  if (element_count(parts.from.view.dims) > 0) lowering.add_step(copy_step(parts.from, parts.to), id, "copy Pad");
  return true;
}

const LoweringTable paddings({{"Pad", lower_pad}});

}  // namespace
}  // namespace hone::native
