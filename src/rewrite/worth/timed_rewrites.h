#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rewrite/worth/graph_time.h"

namespace hone {

/// Kernels of one operator in the graph that a runtime makes of a model.
struct KernelSum {
  std::string op;    // as the runtime calls it
  std::string sort;  // of work, `convolution`
  double count = 0, seconds = 0, activation_bytes = 0, weight_bytes = 0;
};

/// A graph that rewriting made, with what could be told of it before and what it took.
struct TimedRewrite {
  std::uint64_t hash = 0;           // of the state
  std::string rules;                // that made it, each once, in their order: `fold-a, merge-b`
  TimeParts estimated;              // by the roofline
  TimeParts timed;                  // by what its operators take alone; all zero where none was timed
  std::vector<KernelSum> executed;  // of the graph that the runtime makes of it; none where that is not known
  double frame_seconds = 0;         // of a run besides its kernels
  double seconds = 0;               // as a whole
  double again_seconds = 0;         // the same measured once more, with fresh runs
};

/// All that was measured of one model on one runtime.
struct TimedRewrites {
  std::string model;
  TimedRewrite start;
  std::vector<TimedRewrite> rewrites;
};

/// Which prices the parts of a graph's time go by: the roofline, what its operators take alone, or what the kernels
/// take that the runtime makes of them.
enum class PartPrices : std::uint8_t { estimated, timed, executed };

/// By kernels where these are known; else by operators.
TimeParts parts_by(PartPrices prices, const TimedRewrite& rewrite);
/// Seconds of kernels by the sort of their operator, with how many are started; what a run takes besides is `other`.
TimeParts parts_of_kernels(std::span<const KernelSum> kernels, double frame_seconds);
/// What a model of whole graphs learns from: the mean of both measurements.
MeasuredRewrites examples_of(const TimedRewrites& timed, PartPrices prices);

/// The rules on the way to a state, each once, in their order.
std::string rules_towards(const RewriteState& state);

}  // namespace hone
