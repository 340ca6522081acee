#pragma once

#include <cstdint>

#include "base/search_base.h"

namespace hone {

/// How far a run of training has come, with what it did before it was interrupted, and why it ended: `evaluations` are
/// steps here.
struct TrainingOutcome {
  SearchEnd end = SearchEnd::nothing_left;
  std::uint64_t steps = 0;
  double seconds = 0;
};

}  // namespace hone
