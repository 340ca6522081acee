#include "run/native/copy_step.h"

#include "graph/loops/group_nest.h"
#include "graph/ops/axes.h"
#include "run/native/loop_step.h"
#include "run/native/onednn.h"

namespace hone::native {
namespace {

/// The copy as a loop over these extents of the tensor; an axis to cut where one has to be.
std::variant<std::monostate, AxisCut, LoopNest> copy_nest(const Stored& from, const Stored& to, const Dims& extents,
                                                          std::vector<ArrayPlace>& places) {
  const LoopRead index{.strides = strides_of(extents)};
  LoopNest nest{.extents = extents,
                .code = {{.op = LoopOp::load, .type = loop_type_of(from.view.element), .operand = 0}},
                .stores = {{.value = 0, .operand = 1}}};
  for (const Stored* side : {&from, &to}) {
    const auto found = in_array(side->view, index, extents);
    if (const auto* cut = std::get_if<AxisCut>(&found)) return *cut;
    const auto* read = std::get_if<LoopRead>(&found);
    if (read == nullptr) return std::monostate();
    nest.operands.push_back({.element = side->view.element, .strides = read->strides});
    places.push_back({.array = side->array, .offset_bytes = read->offset * side->element_bytes()});
  }
  return nest;
}

Dims cut_in_two(const Dims& extents, const AxisCut& cut) {
  Dims result;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i != cut.axis) result.push_back(extents[i]);
    else result.push_back(extents[i] / cut.inner), result.push_back(cut.inner);
  }
  return result;
}

/// Axes in the order in which the target lies.
LoopNest ordered_by_target(LoopNest nest) {
  std::vector<std::size_t> order(nest.extents.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const Dims target = nest.operands[1].strides;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return target[a] > target[b]; });
  const auto permuted = [&](Dims& dims) {
    Dims result;
    for (const std::size_t axis : order) result.push_back(dims[axis]);
    dims = result;
  };
  permuted(nest.extents);
  for (LoopOperand& operand : nest.operands) permuted(operand.strides);
  return nest;
}

/// A reorder of oneDNN's, which also fills up blocks.
std::unique_ptr<Step> reorder_step(const Stored& from, const Stored& to) {
  const auto source = onednn_layout(from.view), target = onednn_layout(to.view);
  HONE_CHECK(source && target, "no way to copy between two layouts");
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::reorder::primitive_desc description(onednn_engine(), *source, onednn_engine(), *target, attributes);
  return std::make_unique<OneDnnStep>(
      dnnl::reorder(description), description.scratchpad_desc(),
      std::vector<OneDnnStep::Argument>{{DNNL_ARG_SRC, from.place(), *source}, {DNNL_ARG_DST, to.place(), *target}},
      std::vector<OneDnnStep::Held>{});
}

}  // namespace

std::unique_ptr<Step> copy_step(const Stored& from, const Stored& to) {
  const bool fills_blocks = to.view.has_blocks && to.view.dims[1] % LoopView::kBlock != 0;
  const Dims& dims = from.view.dims;
  Dims extents = dims.size() >= 2 ? dims : Dims{1, dims.size() == 1 ? dims[0] : 1};
  while (!fills_blocks && has_loop_type(from.view.element)) {
    std::vector<ArrayPlace> places;
    auto found = copy_nest(from, to, extents, places);
    if (const auto* cut = std::get_if<AxisCut>(&found)) {
      extents = cut_in_two(extents, *cut);
      continue;
    }
    auto* nest = std::get_if<LoopNest>(&found);
    if (nest == nullptr) break;
    return std::make_unique<LoopStep>(settled_rows(joined_axes(ordered_by_target(std::move(*nest)))),
                                      std::move(places));
  }
  return reorder_step(from, to);
}

}  // namespace hone::native
