#pragma once

#include <span>

#include "bench/catalogue/bench_case.h"
#include "bench/planning/gains.h"
#include "bench/planning/graphs.h"

namespace hone {

/// A row for every contender on every graph, setting and budget, and the figures that learned planning is judged by.
/// Figures are of real graphs; under `large` stands the same of those with many operations, under `modules` of those
/// that a compiler has written, under `synthetic` of random ones, under `methods` how far every contender is from the
/// best rival. A figure whose contender does not take part is null.
BenchReport planning_report(std::span<const GraphLabel> graphs, const PlanningGains& gains);

}  // namespace hone
