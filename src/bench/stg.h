#pragma once

#include "bench/catalogue/bench_case.h"

namespace hone {

/// Schedules of the Standard Task Graph set against its tables of optima: every `*_OPT.csv` below --data, of lines
/// `50/rand0000.stg,PROCESSORS,OPTIMUM` or `...,LOWER,BEST_KNOWN`, with paths from the folder above the table's.
///
/// A row a table; the summary has stg_optimal_percent (the optimum, or the best known value where that is open, is
/// reached) and stg_gap_percent (mean distance to it).
BenchReport bench_stg(const BenchOptions& options);

}  // namespace hone
