#pragma once

#include <cstdint>

#include "graph/loops/loop_nest.h"

namespace hone::native {

/// One instruction for a tile of points. Values of points lie row after row, values of rows one after another; reals
/// and truths are floats, integers int64.
struct TileCall {
  void* result = nullptr;
  const void* values[3] = {};
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
using TileFunction = void (*)(const TileCall&);

/// Elements of an array that belong to a tile.
struct TileCopy {
  void* tile = nullptr;
  void* array = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 0;  // of the array, in elements
};
using TileCopyFunction = void (*)(const TileCopy&);

/// Which code a tile needs.
struct TileTask {
  LoopOp op = LoopOp::load;
  LoopType type = LoopType::real;  // of the first value that it reads; of a selection, of what it selects
  unsigned by_row = 0;             // bit k: value k is one a row
};

/// The code that a processor runs, compiled for what it can do.
struct TileFunctions {
  TileFunction (*find)(const TileTask& task) = nullptr;  // null where there is none
  TileCopyFunction (*loading)(ElementType element) = nullptr;
  TileCopyFunction (*storing)(ElementType element) = nullptr;
};

TileFunctions baseline_tiles();
TileFunctions avx2_tiles();
TileFunctions avx512_tiles();

/// The fastest that this processor runs.
const TileFunctions& tile_functions();

}  // namespace hone::native
