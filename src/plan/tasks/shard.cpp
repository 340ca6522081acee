#include "plan/search/task.h"

namespace hone {
namespace {

/// Which strategy each node of a sharding problem picks; nothing to decide in other problems.
class ShardTask final : public Task {
 public:
  explicit ShardTask(const Problem& problem) {
    if (!problem.sharding) return;
    for (const ShardingProblem::Node& node : problem.sharding->nodes)
      sites_.push_back({.options = static_cast<std::uint32_t>(node.strategies.size())});
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    plan.strategy_of.resize(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) plan.strategy_of[i] = option_of(keys[i], sites_[i].options);
  }

  Decisions encode(const Plan& plan) const override {
    Decisions keys(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) keys[i] = key_of(plan.strategy_of[i], sites_[i].options);
    return keys;
  }
};

const TaskKind shard_kind =
    TaskKind::without_parameters<ShardTask>("shard", "which strategy each node of a sharding problem picks");

}  // namespace
}  // namespace hone
