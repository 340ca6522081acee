#pragma once

#include <optional>
#include <span>
#include <vector>

#include "run/native/register_code.h"
#include "run/native/tile_function.h"

namespace hone::native {

/// A loop nest as machine code made for it, which goes through blocks of points with all values in registers. Arrays
/// that do not lie along the vectors are copied to or from scratch, block by block.
class RegisterProgram {
 public:
  /// Nothing where no code can be made of the nest.
  static std::optional<RegisterProgram> of(const LoopNest& nest, std::optional<VectorSet> vectors = std::nullopt);

  /// Memory that one run needs for itself, aligned to 64 bytes.
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  /// Blocks of a run, which may be shared between threads that each have scratch of their own.
  std::int64_t tile_count() const { return blocks_; }

  /// `arrays` has for every operand where its element of the first point lies.
  void run(std::span<void* const> arrays, std::byte* scratch) const { run(arrays, scratch, 0, blocks_); }
  /// Blocks `first` until before `last` only.
  void run(std::span<void* const> arrays, std::byte* scratch, std::int64_t first, std::int64_t last) const;

 private:
  /// An operand that is copied.
  struct Copy {
    std::uint32_t operand = 0;
    TileCopyFunction function = nullptr;
    std::size_t offset = 0;  // in scratch
    bool is_stored = false;
  };
  /// Where a block begins, by axis.
  struct Place {
    std::int64_t index[16] = {};
  };

  RegisterProgram() = default;
  bool choose_lanes();
  bool choose_copies();
  void choose_block();
  bool make_code(std::optional<VectorSet> vectors);
  bool may_stream() const;
  std::int64_t block_extent(std::size_t axis) const;
  Place place_of(std::int64_t block) const;
  bool next(Place& place) const;
  void run_block(const RegisterCode& code, std::span<void* const> arrays, std::byte* scratch, const Place& place) const;
  void copy(const Copy& copied, const CodeFrame& frame, std::byte* array, std::byte* scratch) const;

  LoopNest nest_;
  LaneAxis lanes_ = LaneAxis::columns;
  std::int64_t planes_ = 1, rows_ = 1, columns_ = 1;  // of a block
  std::int64_t blocks_ = 0;
  std::vector<Copy> copies_;
  std::optional<RegisterCode> code_, streaming_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace hone::native
