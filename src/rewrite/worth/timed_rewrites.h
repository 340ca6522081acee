#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rewrite/worth/graph_time.h"

namespace hone {

/// A graph that rewriting made, with what could be told of it before and what it took.
struct TimedRewrite {
  std::uint64_t hash = 0;    // of the state
  std::string rules;         // that made it, each once, in their order: `fold-a, merge-b`
  TimeParts estimated;       // by the roofline
  TimeParts timed;           // by what its operators take alone; all zero where none was timed
  double seconds = 0;        // as a whole
  double again_seconds = 0;  // the same measured once more, with fresh runs
};

/// All that was measured of one model on one runtime.
struct TimedRewrites {
  std::string model;
  TimedRewrite start;
  std::vector<TimedRewrite> rewrites;
};

/// Which prices the parts of a graph's time go by.
enum class PartPrices : std::uint8_t { estimated, timed };

const TimeParts& parts_by(PartPrices prices, const TimedRewrite& rewrite);
/// What a model of whole graphs learns from: the mean of both measurements.
MeasuredRewrites examples_of(const TimedRewrites& timed, PartPrices prices);

/// The rules on the way to a state, each once, in their order.
std::string rules_towards(const RewriteState& state);

}  // namespace hone
