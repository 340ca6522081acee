#include "plan/simulate/sharding_cost.h"

#include <algorithm>

namespace hone {

ShardingCost::ShardingCost(std::shared_ptr<const ShardingProblem> problem) {
  auto tables = std::make_shared<Tables>();
  std::vector<std::int64_t> times;
  for (const ShardingProblem::Node& node : problem->nodes) {
    times.push_back(node.begin);
    times.push_back(std::max(node.begin, node.end));
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto rank = [&](std::int64_t time) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(times, time) - times.begin());
  };
  for (const ShardingProblem::Node& node : problem->nodes) {
    tables->begin.push_back(rank(node.begin));
    tables->end.push_back(rank(std::max(node.begin, node.end)));
  }
  tables->times = times.size();
  tables->problem = std::move(problem);
  tables_ = std::move(tables);
  change_at_.resize(tables_->times);
}

ShardingCost::ShardingCost(std::shared_ptr<const Tables> tables)
    : tables_(std::move(tables)), change_at_(tables_->times) {}

std::unique_ptr<Evaluator> ShardingCost::fork() const { return std::unique_ptr<Evaluator>(new ShardingCost(tables_)); }

Cost ShardingCost::evaluate(const Plan& plan) {
  const ShardingProblem& problem = *tables_->problem;
  Cost cost;
  std::ranges::fill(change_at_, 0.0);
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const ShardingProblem::Strategy& chosen = problem.nodes[i].strategies[plan.strategy_of[i]];
    cost.seconds += static_cast<double>(chosen.cost);
    change_at_[tables_->begin[i]] += static_cast<double>(chosen.usage);
    change_at_[tables_->end[i]] -= static_cast<double>(chosen.usage);
  }
  for (const ShardingProblem::Edge& edge : problem.edges) {
    const std::size_t columns = problem.nodes[edge.second].strategies.size();
    cost.seconds +=
        static_cast<double>(edge.costs[plan.strategy_of[edge.first] * columns + plan.strategy_of[edge.second]]);
  }
  double usage = 0;
  for (const double change : change_at_) {
    usage += change;
    cost.peak_bytes = std::max(cost.peak_bytes, usage);
  }
  cost.overflow_bytes = std::max(0.0, cost.peak_bytes - static_cast<double>(problem.usage_limit));
  if (cost.overflow_bytes > 0) cost.obstacle = Obstacle::memory;
  return cost;
}

}  // namespace hone
