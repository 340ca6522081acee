#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "plan/search/search.h"

namespace hone {

/// Operations in topological order, cut into stretches of about equal length that are decided one after another.
class Stages {
 public:
  /// Where the first cut is made is left to chance, so that no two passes cut the same.
  Stages(const Workload& workload, std::size_t wanted, Rng& rng) {
    const std::span<const OperationId> order = workload.topological_order();
    const std::size_t length = std::max<std::size_t>(1, order.size() / std::max<std::size_t>(1, wanted));
    if (order.empty()) stages_.emplace_back();  // what is about no operation is decided all at once
    std::size_t end = std::min(order.size(), 1 + rng.below(length));
    for (std::size_t begin = 0; begin < order.size(); begin = end, end = std::min(order.size(), end + length)) {
      stages_.emplace_back();
      for (const OperationId operation : order.subspan(begin, end - begin)) stages_.back().push_back({operation, 1});
    }
  }

  std::size_t count() const { return stages_.size(); }
  /// The operations of a stage, all alike, as something to aim changes at.
  std::span<const Blame> operations(std::size_t stage) const { return stages_[stage]; }

 private:
  std::vector<std::vector<Blame>> stages_;
};

}  // namespace hone
