#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/plan_case.h"

namespace hone {

/// What one run of `hone plan` has come to.
struct PlanResult {
  Solution solution;
  std::vector<DeviceArena> arenas;
  nlohmann::ordered_json outputs;
};

/// The problem itself, as far as reports tell of it.
nlohmann::ordered_json problem_json(const PlanCase& planned);

/// All of a result: its cost, bound, seconds and feasible are the figures that every kind of problem has.
nlohmann::ordered_json result_json(const PlanCase& planned, Optimizer& optimizer, const PlanResult& result);
std::string result_text(const PlanCase& planned, const PlanResult& result);

}  // namespace hone
