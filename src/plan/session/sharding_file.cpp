#include "plan/session/sharding_file.h"

#include <nlohmann/json.hpp>

#include "base/output_file.h"

namespace hone {

nlohmann::ordered_json sharding_json(const ShardingProblem& problem) {
  return {{"graph", problem.name},
          {"nodes", problem.nodes.size()},
          {"edges", problem.edges.size()},
          {"usage_limit", problem.usage_limit}};
}

nlohmann::ordered_json sharding_json(const ShardingProblem& problem, const Solution& solution) {
  nlohmann::ordered_json object = sharding_json(problem);
  object["cost"] = solution.cost.seconds;
  object["bound"] = solution.bound;
  object["seconds"] = solution.seconds;
  object["feasible"] = solution.cost.feasible();
  object["peak_usage"] = solution.cost.peak_bytes;
  return object;
}

void save_strategies(const std::filesystem::path& path, const ShardingProblem& problem, const Solution& solution) {
  nlohmann::ordered_json object = sharding_json(problem, solution);
  object["strategies"] = solution.plan.strategy_of;
  OutputFile file(path);
  file.write(object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace hone
