#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rewrite/rules/rule.h"

namespace hone {

/// How much to try.
struct FuzzOptions {
  std::size_t graphs = 500;
  std::size_t most_rewrites = 20;  // of one graph
  std::uint64_t seed = 1;
  std::vector<const Rule*> rules;  // all that come with hone where it is empty
};

/// What came of it.
struct FuzzReport {
  std::size_t graphs = 0;
  std::size_t rewrites = 0;
  std::size_t differences = 0;  // graphs whose results changed
  std::size_t unsteady = 0;     // graphs whose results changed as they do when the original rounds otherwise
  std::size_t special = 0;      // graphs with infinities or NaN, rewritten by rules that do not assume finite numbers
  std::size_t symbolic = 0;     // graphs with sizes that are symbols
  std::vector<std::string> unused_rules;     // those never applied
  std::vector<std::string> unmet_operators;  // those that rules name and no graph had
  std::string first;                         // the first difference: what was rewritten into what
  std::string first_unsteady;                // the same of unsteady graphs
};

/// Differential fuzzing: random graphs (`fuzz_graph.h`) rewritten at random places by all rules, and run before and
/// after by the reference interpreter. Every graph must stay valid and compute the same.
FuzzReport fuzz_rewrites(const FuzzOptions& options);

}  // namespace hone
