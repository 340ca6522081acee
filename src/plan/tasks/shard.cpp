#include "plan/search/task.h"

namespace hone {
namespace {

/// Which strategy each node of a sharding problem picks; nothing to decide in other problems.
class ShardTask final : public Task {
 public:
  ShardTask(const Problem& problem, const Plan& /*start*/) {
    if (!problem.sharding) return;
    for (const ShardingProblem::Node& node : problem.sharding->nodes)
      add_site({.field = PlanField::strategy,
                .entry = static_cast<std::uint32_t>(sites().size()),
                .options = static_cast<std::uint32_t>(node.strategies.size())});
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    plan.strategy_of.resize(sites().size());
    for (std::size_t i = 0; i < sites().size(); ++i) plan.strategy_of[i] = option_of(keys[i], sites()[i].options);
  }

  Decisions encode(const Plan& plan) const override {
    Decisions keys(sites().size());
    for (std::size_t i = 0; i < sites().size(); ++i) keys[i] = key_of(plan.strategy_of[i], sites()[i].options);
    return keys;
  }
};

const TaskKind shard_kind =
    TaskKind::without_parameters<ShardTask>("shard", "which strategy each node of a sharding problem picks");

}  // namespace
}  // namespace hone
