#pragma once

#include <functional>

#include "run/native/program.h"

namespace hone::native {

/// Steps that go together through one block of work after the other, so that what passes between them stays in a cache
/// and never takes memory of its own. Threads share the blocks.
class BandStep final : public Step {
 public:
  /// An array of the program, and where each block begins in it.
  struct Operand {
    ArrayPlace place;
    std::vector<std::int64_t> offset_bytes;  // by block
    bool is_written = false;
  };
  /// What the steps of a band work on: operands are their first arrays, what passes between them the next.
  struct Work {
    std::vector<Operand> operands;
    std::vector<std::size_t> between_bytes;
    double nanoseconds = 0;  // about how long all blocks take
  };
  using Steps = std::vector<std::unique_ptr<Step>>;

  /// `make` gives the steps of one thread.
  BandStep(Work work, const std::function<Steps()>& make);

  void run(const RunMemory& memory) const override;
  std::size_t scratch_bytes() const override { return shares_.size() * share_bytes_; }
  std::vector<ArrayId> reads() const override { return arrays_of(false); }
  std::vector<ArrayId> writes() const override { return arrays_of(true); }

 private:
  /// What one thread works with.
  struct Share {
    Steps steps;
    std::vector<std::byte*> arrays;  // by array of the steps: where it lies for the block at hand
  };
  void run_blocks(const RunMemory& memory, std::size_t share) const;
  std::vector<ArrayId> arrays_of(bool written) const;

  Work work_;
  std::int64_t blocks_ = 0;
  std::size_t steps_scratch_bytes_ = 0, share_bytes_ = 0;
  mutable std::vector<Share> shares_;
};

}  // namespace hone::native
