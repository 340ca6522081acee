#include <algorithm>

#include "plan/search/task.h"

namespace hone {
namespace {

/// Whether something made by a group is read by another.
bool leaves_its_group(const Workload& workload, const Plan& start, BufferId buffer) {
  const OperationId producer = workload.buffer(buffer).producer;
  return producer.valid() && std::ranges::any_of(workload.readers(buffer), [&](OperationId reader) {
           return start.group_of.empty() || start.group(reader) != start.group(producer);
         });
}

/// A key for every buffer that may have to move and every device it may have to move to: its priority on the link.
class TransfersTask final : public Task {
 public:
  TransfersTask(const Problem& problem, const Plan& start)
      : entries_(problem.workload.buffer_count() * problem.machine.device_count()) {
    const std::size_t devices = problem.machine.device_count();
    for (std::size_t i = 0; devices > 1 && i < problem.workload.buffer_count(); ++i) {
      if (!leaves_its_group(problem.workload, start, BufferId(i))) continue;
      for (std::size_t device = 0; device < devices; ++device) {
        relate(sites().size(), problem.workload.buffer(BufferId(i)).producer);
        add_site({.field = PlanField::transfer_priority, .entry = static_cast<std::uint32_t>(i * devices + device)});
      }
    }
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    plan.transfer_priority.resize(entries_);
    for (std::size_t i = 0; i < keys.size(); ++i) plan.transfer_priority[sites()[i].entry] = keys[i];
  }

  Decisions encode(const Plan& plan) const override {
    if (plan.transfer_priority.empty()) return Decisions(sites().size(), 0.5F);
    std::vector<float> priorities;
    for (const Site& site : sites()) priorities.push_back(plan.transfer_priority[site.entry]);
    return keys_in_order(priorities);
  }

 private:
  std::size_t entries_;
};

const TaskKind transfers_kind =
    TaskKind::without_parameters<TransfersTask>("transfers", "what is sent first of all that waits for a link");

}  // namespace
}  // namespace hone
