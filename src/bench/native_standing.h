#pragma once

#include <filesystem>

#include "bench/catalogue/bench_case.h"

namespace hone {

/// How far the time of a model on the executor is from what the simulator makes of its groups' measured times: 0.1 is
/// ten percent, to either side. One thread.
double prediction_error(const std::filesystem::path& file, const BenchOptions& options);

/// How much faster the executor is than the usual runtime with the best that `hone optimize` finds for that: its model
/// and its options. One thread.
double speedup_over_optimized(const std::filesystem::path& file, const BenchOptions& options);

}  // namespace hone
