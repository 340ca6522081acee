#pragma once

#include <span>
#include <vector>

#include "graph/loops/loop_nest.h"
#include "run/native/tile_function.h"

namespace hone::native {

/// A loop nest as calls of vector code: tiles of points that stay in the first cache, each instruction a tight loop
/// over a tile. Made once, then run on any arrays without allocating.
class TileProgram {
 public:
  explicit TileProgram(LoopNest nest);

  const LoopNest& nest() const { return nest_; }
  /// Memory that one run needs for itself, aligned to 64 bytes.
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  /// Tiles of a run, which may be shared between threads that each have scratch of their own.
  std::int64_t tile_count() const { return tiles_; }

  /// `arrays` has for every operand where its element of the first point lies.
  void run(std::span<void* const> arrays, std::byte* scratch) const { run(arrays, scratch, 0, tiles_); }
  /// Tiles `first` until before `last` only.
  void run(std::span<void* const> arrays, std::byte* scratch, std::int64_t first, std::int64_t last) const;

 private:
  /// Where a value of a tile lies: in an array, or in scratch.
  struct Place {
    bool in_array = false;
    std::uint32_t operand = 0;
    std::size_t offset = 0;  // in scratch
  };
  struct Step {
    TileFunction function = nullptr;  // null for loads
    TileCopyFunction copy = nullptr;  // of loads and stores
    std::uint32_t operand = 0;        // of loads and stores
    std::uint32_t result = 0;         // the value; of stores, what is stored
    std::uint32_t values[3] = {};
    bool per_row = false;
    bool kept = false;  // a load that is the same for all rows, and so from tile to tile
    bool flat = false;  // no value that it reads differs from row to row alone
  };
  /// The part of the nest that a tile is.
  struct Tile {
    std::int64_t rows = 0, columns = 0;
    void* pointers[64] = {};  // by operand: where its first element lies
  };

  void choose_tile();
  void place_values();
  void place_by_lifetime(std::size_t first_free);
  bool is_contiguous(std::uint32_t operand, bool per_row) const;
  bool is_direct_load(const LoopInstruction& step) const;
  bool is_the_same_everywhere(const LoopInstruction& step) const;
  bool is_the_same_for_rows(const LoopInstruction& step) const;
  std::size_t slot_bytes(const LoopInstruction& step) const;
  void write_steps();
  Step step_of(std::uint32_t value) const;
  void* pointer(const Tile& tile, std::byte* scratch, std::uint32_t value) const;
  void run_tile(const Tile& tile, std::byte* scratch, const void** loaded) const;
  void copy(const Tile& tile, std::byte* scratch, const Step& step) const;
  void fill_constants(std::span<void* const> arrays, std::byte* scratch) const;
  Tile tile_at(std::span<void* const> arrays, std::int64_t index) const;

  LoopNest nest_;
  std::int64_t tile_rows_ = 1, tile_columns_ = 1;
  std::int64_t row_tiles_ = 1, column_tiles_ = 1, tiles_ = 0;
  std::vector<Place> places_;            // by value
  std::vector<std::uint32_t> standing_;  // values that are the same in all tiles
  std::vector<Step> steps_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace hone::native
