#include "run/native/loop_step.h"

#include <algorithm>

#include "run/native/threads.h"

namespace hone::native {
namespace {

/// Nanoseconds a point, as measured on one core for vectors of sixteen.
double instruction_nanoseconds(LoopOp op) {
  switch (op) {
    case LoopOp::exp:
    case LoopOp::log:
    case LoopOp::log_plus_one:
    case LoopOp::tanh:
    case LoopOp::sigmoid:
    case LoopOp::erf:
    case LoopOp::sine:
    case LoopOp::cosine:
    case LoopOp::power: return 0.8;
    default: return 0.1;
  }
}

/// About how long one thread takes for a nest.
double nanoseconds_of(const LoopNest& nest) {
  double a_row = 0, a_point = 0.15 * static_cast<double>(nest.operands.size());
  for (const LoopInstruction& instruction : nest.code)
    (instruction.per_row && !folds_rows(instruction.op) ? a_row : a_point) += instruction_nanoseconds(instruction.op);
  double rows = 1;
  for (std::size_t axis = 0; axis + 1 < nest.extents.size(); ++axis) rows *= static_cast<double>(nest.extents[axis]);
  return rows * (a_row + a_point * static_cast<double>(nest.columns()));
}

}  // namespace

LoopStep::LoopStep(const LoopNest& nest, std::span<const ArrayPlace> operands) : copy_(StridedCopy::of(nest)) {
  using enum StepPlaces::Use;
  const double nanoseconds = nanoseconds_of(nest);
  if (copy_) {
    operands_.add(operands[nest.code[0].operand], read);
    operands_.add(operands[nest.stores[0].operand], written);
    shares_ = shares_of(nanoseconds, copy_->parts());
    return;
  }
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    const bool is_stored = std::ranges::any_of(nest.stores, [&](const LoopStore& store) { return store.operand == i; });
    operands_.add(operands[i], is_stored ? written : read);
  }
  program_.emplace(nest);
  shares_ = shares_of(nanoseconds, program_->tile_count());
}

void LoopStep::run(const RunMemory& memory) const {
  void* arrays[64];
  for (std::size_t i = 0; i < operands_.size(); ++i) arrays[i] = memory.at(operands_[i]);
  on_threads(shares_, [&](std::size_t share) {
    if (copy_) {
      const PartRange parts = range_of(copy_->parts(), share, shares_);
      return copy_->run(arrays[0], arrays[1], parts.first, parts.last);
    }
    const PartRange tiles = range_of(program_->tile_count(), share, shares_);
    program_->run({arrays, operands_.size()}, memory.scratch + share * program_->scratch_bytes(), tiles.first,
                  tiles.last);
  });
}

}  // namespace hone::native
