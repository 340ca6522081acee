#pragma once

#include "bench/catalogue/bench_case.h"

namespace hone {

/// Buffers with lifetimes in files NAME.CAPACITY.csv below --data: whether each is laid out within its capacity, and
/// how long that takes. The summary has `minimalloc_solved` and `minimalloc_seconds`.
BenchReport bench_memory(const BenchOptions& options);

}  // namespace hone
