#pragma once

#include "bench/catalogue/bench_case.h"

namespace hone {

/// Sharding problems of the ASPLOS 2025 contest below --data against its table `best_known.tsv`: a minute for small
/// ones, five for those of over 10,000 nodes, reading included. The summary has `iopddl_gap_percent` by instance.
BenchReport bench_sharding(const BenchOptions& options);

}  // namespace hone
