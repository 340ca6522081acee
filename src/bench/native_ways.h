#pragma once

#include <span>
#include <string>
#include <vector>

#include "run/measure/interleave.h"
#include "run/runtime/runtime.h"

namespace hone {

/// One way to run a model on the executor.
struct NativeWay {
  std::string parameters;  // behind `native:`
  RuntimeOptions options;
  std::size_t threads = 1;
};

/// A model with its inputs; both must outlive what is timed.
struct ModelOnTrial {
  const Model& model;
  const std::vector<Datum>& inputs;
  std::uint64_t seed = 0;
};

/// What ways of running a model take.
struct WaysTimed {
  double first_seconds = 0;
  std::vector<RatioEstimate> over_first;  // of all others
};

/// Runs a model in several ways in turn, each for so many seconds, in a child process.
WaysTimed time_ways(const ModelOnTrial& trial, std::span<const NativeWay> ways, double seconds);

/// Spearman's correlation of the ranks of pairs; equal numbers share a rank. 0 where one side is all equal.
double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace hone
