#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "cli/plan_request.h"
#include "plan/search/optimizer.h"

namespace hone {

/// What optimisers are compared on.
struct ComparedProblem {
  nlohmann::ordered_json description;
  Score before = {};  // with nothing decided
  double bound = 0;   // known before any of them runs
  std::function<Solution(Optimizer& optimizer, std::uint64_t seed)> solve;
  std::function<std::string(double value)> text;  // a value for people
};

/// All of `hone plan MODEL --compare A,B,C`: several optimisers at equal budget, over several seeds, as one table.
ExitCode compare_optimizers(const PlanRequest& request, const ComparedProblem& problem);

}  // namespace hone
