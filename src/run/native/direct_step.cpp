#include "run/native/direct_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/evaluate.h"

namespace hone::native {

DirectStep::DirectStep(std::vector<std::optional<ArrayPlace>> inputs, std::vector<std::optional<ArrayPlace>> outputs,
                       Code code, std::size_t scratch_bytes)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)), code_(std::move(code)), scratch_bytes_(scratch_bytes) {
  HONE_CHECK(inputs_.size() + outputs_.size() <= kMostArrays, "a step of {} arrays", inputs_.size() + outputs_.size());
}

void DirectStep::run(const RunMemory& memory) const {
  void* arrays[kMostArrays] = {};
  std::size_t count = 0;
  for (const auto* places : {&inputs_, &outputs_})
    for (const auto& place : *places) arrays[count++] = place ? memory.at(*place) : nullptr;
  code_({arrays, count}, memory.scratch);
}

std::vector<ArrayId> DirectStep::arrays_of(const std::vector<std::optional<ArrayPlace>>& places) {
  std::vector<ArrayId> arrays;
  for (const auto& place : places)
    if (place) arrays.push_back(place->array);
  return arrays;
}

DirectNode::DirectNode(Lowering& lowering, NodeId id)
    : NodeReader(*definition_of(lowering.graph().node(id), lowering.model().opsets).entry, lowering.graph().node(id),
                 definition_of(lowering.graph().node(id), lowering.model().opsets).version),
      lowering_(lowering),
      id_(id) {}

void DirectNode::lower(DirectStep::Code code, std::size_t scratch_bytes) {
  std::vector<std::optional<ArrayPlace>> inputs, outputs;
  const auto dense = [&](ValueId value) {
    return dense_view(lowering_.graph().value(value).type.element, lowering_.dims(value));
  };
  for (const ValueId input : node().written_inputs())
    inputs.push_back(input.valid() ? std::optional(lowering_.laid_out(input, dense(input)).place()) : std::nullopt);
  for (const ValueId output : node().outputs)
    outputs.push_back(output.valid() ? std::optional(lowering_.allocate_alone(output, dense(output)).place())
                                     : std::nullopt);
  lowering_.add_step(
      std::make_unique<DirectStep>(std::move(inputs), std::move(outputs), std::move(code), scratch_bytes), id_,
      fmt::format("direct {}", node().op->text()));
}

std::int64_t index_at(const void* indices, bool is_wide, std::int64_t at, std::int64_t count) {
  std::int64_t index =
      is_wide ? static_cast<const std::int64_t*>(indices)[at] : static_cast<const std::int32_t*>(indices)[at];
  if (index < 0) index += count;
  if (index < 0 || index >= count) fail("index {} is outside of {} entries", index, count);
  return index;
}

}  // namespace hone::native
