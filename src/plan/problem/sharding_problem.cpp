#include "plan/problem/sharding_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hone {

std::optional<std::string> check(const ShardingProblem& problem, std::span<const std::uint32_t> strategy_of) {
  if (strategy_of.size() != problem.nodes.size())
    return fmt::format("there are {} strategies for {} nodes", strategy_of.size(), problem.nodes.size());
  for (std::size_t i = 0; i < strategy_of.size(); ++i)
    if (strategy_of[i] >= problem.nodes[i].strategies.size())
      return fmt::format("node {} has strategy {}, but only {} to choose from", i, strategy_of[i],
                         problem.nodes[i].strategies.size());
  return std::nullopt;
}

ShardingTotals totals(const ShardingProblem& problem, std::span<const std::uint32_t> strategy_of) {
  // Of 128 bits, since some thousands of costs of 10^18, which stand for never, are more than 64 hold.
  __int128 cost = 0;
  std::map<std::int64_t, __int128> change_at;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const ShardingProblem::Node& node = problem.nodes[i];
    const ShardingProblem::Strategy& chosen = node.strategies[strategy_of[i]];
    cost += chosen.cost;
    if (node.begin >= node.end) continue;
    change_at[node.begin] += chosen.usage;
    change_at[node.end] -= chosen.usage;
  }
  for (const ShardingProblem::Edge& edge : problem.edges)
    cost +=
        edge.costs[strategy_of[edge.first] * problem.nodes[edge.second].strategies.size() + strategy_of[edge.second]];
  __int128 usage = 0;
  __int128 peak = 0;
  for (const auto& [time, change] : change_at) {
    usage += change;
    peak = std::max(peak, usage);
  }
  return {.cost = static_cast<double>(cost), .peak_usage = static_cast<double>(peak)};
}

}  // namespace hone
