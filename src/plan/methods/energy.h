#pragma once

#include <cmath>

#include "plan/search/search.h"

namespace hone {

/// Scores as one number, for methods that weigh how much worse something is: the value in units of a reference, and
/// ten units more when what is beyond memory fills all the memory there is.
class Energy {
 public:
  Energy(const Search& search, const Score& reference) : unit_(reference.value) {
    for (const Device& device : search.problem().machine.devices)
      memory_bytes_ += search.problem().machine.kinds[device.kind].memory_bytes;
  }

  double operator()(const Score& score) const {
    const double value = unit_ > 0 && std::isfinite(unit_) ? score.value / unit_ : score.value;
    return score.excess > 0 ? value + 10 * score.excess / memory_bytes_ : value;
  }

 private:
  double unit_;
  double memory_bytes_ = 0;
};

}  // namespace hone
