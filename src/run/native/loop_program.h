#pragma once

#include <optional>

#include "run/native/register_program.h"
#include "run/native/tile_program.h"

namespace hone::native {

/// A loop nest made ready: as code made for it where that can be, else as calls of code for tiles.
class LoopProgram {
 public:
  explicit LoopProgram(const LoopNest& nest) : code_(RegisterProgram::of(nest)) {
    if (!code_) tiles_.emplace(nest);
  }

  /// Memory that one run needs for itself, aligned to 64 bytes.
  std::size_t scratch_bytes() const { return code_ ? code_->scratch_bytes() : tiles_->scratch_bytes(); }
  /// Parts of a run, which may be shared between threads that each have scratch of their own.
  std::int64_t tile_count() const { return code_ ? code_->tile_count() : tiles_->tile_count(); }
  /// Parts `first` until before `last`; `arrays` has for every operand where its element of the first point lies.
  void run(std::span<void* const> arrays, std::byte* scratch, std::int64_t first, std::int64_t last) const {
    code_ ? code_->run(arrays, scratch, first, last) : tiles_->run(arrays, scratch, first, last);
  }
  void run(std::span<void* const> arrays, std::byte* scratch) const { run(arrays, scratch, 0, tile_count()); }

 private:
  std::optional<RegisterProgram> code_;
  std::optional<TileProgram> tiles_;
};

}  // namespace hone::native
