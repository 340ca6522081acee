#pragma once

#include <vector>

#include "plan/search/search.h"

namespace hone {

/// Takes what is decided about kernels in a connected region from other decisions of the same task.
class KernelRegions {
 public:
  /// The search must outlive it.
  explicit KernelRegions(const Search& search) : search_(search) {}

  /// `row` with what `other` decides about groups around an operation, as far as a region of some size goes that is
  /// drawn; whether anything has changed.
  bool cross(std::span<float> row, std::span<const float> other, OperationId middle, Rng& rng);

 private:
  const Search& search_;
  std::vector<OperationId> region_;
  std::vector<std::uint32_t> seen_;  // by operation: number of the last region it was in
  std::uint32_t regions_ = 0;
};

}  // namespace hone
