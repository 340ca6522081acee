#include <algorithm>

#include "plan/search/task.h"

namespace hone {
namespace {

/// A key for every operation: its priority.
class ScheduleTask final : public Task {
 public:
  explicit ScheduleTask(const Problem& problem) { sites_.resize(problem.workload.operation_count()); }

  void apply(std::span<const float> keys, Plan& plan) const override {
    plan.priority.resize(keys.size());
    std::ranges::copy(keys, plan.priority.begin());
  }

  Decisions encode(const Plan& plan) const override {
    return plan.priority.empty() ? Decisions(sites_.size(), 0.5F) : keys_in_order(plan.priority);
  }

  std::vector<std::uint32_t> sites_about(OperationId operation) const override {
    return {static_cast<std::uint32_t>(operation.index())};
  }
};

const TaskKind schedule_kind =
    TaskKind::without_parameters<ScheduleTask>("schedule", "what runs first of all that is ready");

}  // namespace
}  // namespace hone
