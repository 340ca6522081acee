#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "plan/problem/sharding_problem.h"
#include "plan/search/search.h"

namespace hone {

/// The size of a sharding problem, as far as reports tell of it.
nlohmann::ordered_json sharding_json(const ShardingProblem& problem);
/// The same with what a solution comes to.
nlohmann::ordered_json sharding_json(const ShardingProblem& problem, const Solution& solution);

/// Writes a solution with the strategies of all nodes as JSON.
void save_strategies(const std::filesystem::path& path, const ShardingProblem& problem, const Solution& solution);

}  // namespace hone
