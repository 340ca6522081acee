#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/catalogue/bench_case.h"

namespace hone {

/// Optimisers side by side on a set of graphs at equal budget: what a case file in bench/cases/ says.
struct Comparison {
  std::string machine;
  std::string tasks = "place+schedule+transfers";
  std::vector<std::string> objectives, graphs;
  std::vector<std::string> one_pass;  // optimisers that give one plan and are done
  std::vector<std::string> searches;  // optimisers that use up the budget
  std::string exact;  // optimiser that can prove its plan the best, for graphs of up to `exact_operations`
  std::size_t exact_operations = 0;
  std::uint64_t exact_evaluations = 5'000'000;
  std::uint64_t evaluations = 5000;
  std::uint64_t seeds = 3;
  std::uint64_t best_known_evaluations = 200'000;  // shared out among the searches, to learn what can be reached
};

/// Reads a case file; `source` names it in messages. Throws InputError (usage) for keys it does not know.
Comparison parse_comparison(const nlohmann::json& file, std::string_view source);

/// Runs all of it, one search a core. A row is what one optimiser came to on one graph for one objective: best, median
/// and worst over the seeds and how far the median is above the best known. The summary has the mean gap of each
/// optimiser, how often the best search beats the best one-pass optimiser, and how often it reaches a proved optimum.
BenchReport compare(const Comparison& comparison, const BenchOptions& options);

}  // namespace hone
