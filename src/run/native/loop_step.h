#pragma once

#include <optional>

#include "run/native/loop_program.h"
#include "run/native/program.h"
#include "run/native/strided_copy.h"

namespace hone::native {

/// A loop nest on arrays of a program, its tiles shared by threads: each computes what one alone would.
class LoopStep final : public Step {
 public:
  LoopStep(const LoopNest& nest, std::span<const ArrayPlace> operands);

  void run(const RunMemory& memory) const override;
  std::size_t scratch_bytes() const override { return program_ ? shares_ * program_->scratch_bytes() : 0; }
  std::vector<ArrayId> reads() const override { return operands_.arrays(StepPlaces::Use::read); }
  std::vector<ArrayId> writes() const override { return operands_.arrays(StepPlaces::Use::written); }

 private:
  std::optional<StridedCopy> copy_;  // from the first operand to the second, where nothing is computed
  std::optional<LoopProgram> program_;
  StepPlaces operands_;
  std::size_t shares_ = 1;
};

}  // namespace hone::native
