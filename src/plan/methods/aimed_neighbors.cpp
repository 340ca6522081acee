#include "plan/methods/aimed_neighbors.h"

#include <algorithm>

namespace hone {

std::span<const Cost> AimedNeighbors::evaluate(Search& search, std::span<const float> center, std::int64_t count) {
  if (until_refresh_ <= 0) {
    if (aim_.focus > 0) neighborhood_.aim(search.blame(center), aim_.focus);
    until_refresh_ = aim_.refresh;
  }
  until_refresh_ -= count;
  rows_.clear();
  changes_.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    rows_.insert(rows_.end(), center.begin(), center.end());
    changes_.push_back(neighborhood_.change(std::span(rows_).last(center.size()), rng_));
  }
  return search.evaluate(rows_);
}

}  // namespace hone
