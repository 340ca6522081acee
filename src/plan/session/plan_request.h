#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "plan/emit/outputs.h"
#include "plan/machine/machine.h"
#include "plan/problem/problem.h"

namespace hone {

/// What is wanted of a planning session. What is empty or 0 is left to what suits the problem.
struct PlanRequest {
  std::string machine, tasks, objective = "fit", optimizer;
  std::string journal;  // file to resume from
  OutputRequest emit;
  // A limit that is given is the only one; without any, there is one that suits the problem.
  std::uint64_t evaluations = 0, seed = 0;
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t threads = 1;
  bool no_more_memory = false;  // than the plan holds where nothing is decided
};

/// The same with what suits the problem where nothing was said. Throws InputError (usage) for what means nothing to a
/// sharding problem, naming the source, or to the objective.
PlanRequest completed(const PlanRequest& given, const Problem& problem, const std::string& source);

/// What suits which objective where nothing is said, as a sentence.
std::string usual_optimizers();

}  // namespace hone
