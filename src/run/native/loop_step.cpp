#include "run/native/loop_step.h"

#include <algorithm>

namespace hone::native {

void LoopStep::run(const RunMemory& memory) const {
  void* arrays[64];
  for (std::size_t i = 0; i < operands_.size(); ++i) arrays[i] = memory.at(operands_[i]);
  if (copy_) {
    const LoopNest& nest = program_.nest();
    return copy_->run(arrays[nest.code[0].operand], arrays[nest.stores[0].operand], 0, copy_->parts());
  }
  program_.run({arrays, operands_.size()}, memory.scratch);
}

std::vector<ArrayId> LoopStep::arrays_of(bool written) const {
  std::vector<ArrayId> found;
  for (std::uint32_t i = 0; i < operands_.size(); ++i) {
    const bool is_stored =
        std::ranges::any_of(program_.nest().stores, [&](const LoopStore& store) { return store.operand == i; });
    if (is_stored == written) found.push_back(operands_[i].array);
  }
  return found;
}

}  // namespace hone::native
