#include <algorithm>

#include "plan/search/task.h"

namespace hone {
namespace {

/// A key for every group, or every operation where there are none: its priority.
class ScheduleTask final : public Task {
 public:
  ScheduleTask(const Problem& problem, const Plan& start) {
    for (std::size_t i = 0; i < group_count(problem, start); ++i)
      add_site({.field = PlanField::priority, .entry = static_cast<std::uint32_t>(i)});
    for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
      relate(start.group(OperationId(i)).index(), OperationId(i));
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    plan.priority.resize(keys.size());
    std::ranges::copy(keys, plan.priority.begin());
  }

  Decisions encode(const Plan& plan) const override {
    return plan.priority.empty() ? Decisions(sites().size(), 0.5F) : keys_in_order(plan.priority);
  }
};

const TaskKind schedule_kind =
    TaskKind::without_parameters<ScheduleTask>("schedule", "what runs first of all that is ready");

}  // namespace
}  // namespace hone
