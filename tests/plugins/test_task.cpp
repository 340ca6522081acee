#include "plan/search/task.h"

namespace hone {
namespace {

/// One site: whether operations that stand first in the workload run first, or those that stand last.
class DirectionTask final : public Task {
 public:
  DirectionTask(const Problem& problem, const Plan& start) : groups_(group_count(problem, start)) {
    add_site({.field = PlanField::priority, .options = 2});
    for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) relate(0, OperationId(i));
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    const bool backward = option_of(keys.front(), 2) == 1;
    plan.priority.resize(groups_);
    for (std::size_t i = 0; i < groups_; ++i)
      plan.priority[i] = static_cast<float>(backward ? i : groups_ - i) / static_cast<float>(groups_);
  }

  Decisions encode(const Plan& plan) const override {
    const bool backward = !plan.priority.empty() && plan.priority.front() < plan.priority.back();
    return {key_of(backward ? 1 : 0, 2)};
  }

 private:
  std::size_t groups_;
};

const TaskKind direction_kind =
    TaskKind::without_parameters<DirectionTask>("test-direction", "what stands first runs first, or last; for tests");

}  // namespace
}  // namespace hone
