#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plan/session/compare.h"

namespace hone {

/// All of a result: its cost, bound, seconds and feasible are the figures that every kind of problem has.
nlohmann::ordered_json result_json(const PlanSession& session, Optimizer& optimizer, const PlanResult& result);
std::string result_text(const PlanSession& session, const PlanResult& result);

/// Optimisers side by side.
nlohmann::ordered_json trials_json(const PlanSession& session, const std::vector<Trial>& trials);
std::string trials_text(const PlanSession& session, const std::vector<Trial>& trials);

/// What was written of a plan.
nlohmann::ordered_json outputs_json(const std::vector<WrittenOutput>& outputs);
std::string outputs_text(const std::vector<WrittenOutput>& outputs);

}  // namespace hone
