#pragma once

#include <optional>
#include <vector>

#include "graph/loops/loop_nest.h"

namespace hone::native {

/// A nest that only moves elements of 4 bytes, as loops over both arrays: without tiles, whose upkeep would take longer
/// than a few elements do.
class StridedCopy {
 public:
  /// Nothing where the nest does more.
  static std::optional<StridedCopy> of(const LoopNest& nest);

  void run(const void* from, void* to, std::int64_t first, std::int64_t last) const;
  /// Parts that may be copied by themselves.
  std::int64_t parts() const { return parts_; }

 private:
  struct Axis {
    std::int64_t extent = 1, from = 0, to = 0;
  };
  void cut_into_pieces();
  void run_piece(const float* from, float* to, std::int64_t rows, std::int64_t columns) const;

  std::vector<Axis> outer_;
  Axis rows_, columns_;  // columns follow one another in the target where any axis does
  std::int64_t piece_rows_ = 1, piece_columns_ = 1;
  std::int64_t parts_ = 1;  // pieces of all rows and columns
};

}  // namespace hone::native
