#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "graph/loops/loop_nest.h"

namespace hone::native {

/// Which axis of a nest the places of a vector lie along.
enum class LaneAxis : std::uint8_t { columns, rows };

/// Which vectors a processor has.
enum class VectorSet : std::uint8_t { avx2, avx512 };

/// How results are written: through the caches, or past them where they are larger than all of them.
enum class StoreKind : std::uint8_t { cached, streaming };

/// What code is wanted for.
struct CodeRequest {
  LoopNest nest;  // of at least three axes; the last three are planes, rows and columns
  LaneAxis lanes = LaneAxis::columns;
  StoreKind stores = StoreKind::cached;
  bool has_whole_rows = true;         // every call has all columns
  std::vector<bool> lies_in_scratch;  // by operand: it is copied from or to its array, row after row of floats
  std::optional<VectorSet> vectors;   // instead of the widest that the processor has
};

/// A part of a nest that one call goes through; the call changes it.
struct CodeFrame {
  std::int64_t planes = 1, rows = 1, columns = 1;
  std::int64_t scratch_row_bytes = 0;  // of operands that lie in scratch
  std::byte* scratch = nullptr;        // aligned to 64 bytes
  std::byte* pointers[64];             // by operand: the element of the first point
};

/// Machine code of a nest: all values of a point are in registers from load to store.
class RegisterCode {
 public:
  /// Makes code for the processor at hand; nothing where there is no way to write the nest so.
  static std::optional<RegisterCode> of(const CodeRequest& request);

  void run(CodeFrame& frame) const { function_(&frame); }
  /// Memory that a call needs for itself.
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  std::size_t code_bytes() const { return code_bytes_; }
  /// Whether both run the same copy of it, as nests do whose code is equal.
  bool shares_code_with(const RegisterCode& other) const { return memory_ == other.memory_; }

 private:
  using Function = void (*)(CodeFrame*);

  std::shared_ptr<void> memory_;
  Function function_ = nullptr;
  std::size_t scratch_bytes_ = 0, code_bytes_ = 0;
};

}  // namespace hone::native
