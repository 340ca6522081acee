#pragma once

#include <optional>

#include "run/native/loop_program.h"
#include "run/native/program.h"
#include "run/native/strided_copy.h"

namespace hone::native {

/// A loop nest on arrays of a program, its tiles shared by threads: each computes what one alone would.
class LoopStep final : public Step {
 public:
  LoopStep(LoopNest nest, std::vector<ArrayPlace> operands);

  void run(const RunMemory& memory) const override;
  std::size_t scratch_bytes() const override { return shares_ * program_.scratch_bytes(); }
  std::vector<ArrayId> reads() const override { return arrays_of(false); }
  std::vector<ArrayId> writes() const override { return arrays_of(true); }

 private:
  std::vector<ArrayId> arrays_of(bool written) const;

  std::optional<StridedCopy> copy_;  // instead of the program, where nothing is computed
  LoopProgram program_;
  std::vector<ArrayPlace> operands_;
  std::size_t shares_ = 1;
};

}  // namespace hone::native
