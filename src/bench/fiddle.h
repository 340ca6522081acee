#pragma once

#include "bench/catalogue/bench_case.h"

namespace hone {

/// Graphs of Tarnawski et al. (NeurIPS 2020) in `--data`: throughput and latency beside the best published or measured
/// figure for each. The summary has `msr_best_percent`, the share that is at least as good as every one of them, and
/// `msr_best_fitting_percent`, the same without those of splits that do not fit into memory.
BenchReport compare_fiddle(const BenchOptions& options);

}  // namespace hone
