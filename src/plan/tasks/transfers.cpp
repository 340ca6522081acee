#include "plan/search/task.h"

namespace hone {
namespace {

/// A key for every buffer that may have to move and every device it may have to move to: its priority on the link.
class TransfersTask final : public Task {
 public:
  explicit TransfersTask(const Problem& problem)
      : entries_(problem.workload.buffer_count() * problem.machine.device_count()),
        sites_about_(problem.workload.operation_count()) {
    const std::size_t devices = problem.machine.device_count();
    for (std::size_t i = 0; devices > 1 && i < problem.workload.buffer_count(); ++i) {
      const OperationId producer = problem.workload.buffer(BufferId(i)).producer;
      if (!producer.valid() || problem.workload.readers(BufferId(i)).empty()) continue;
      for (std::size_t device = 0; device < devices; ++device) {
        sites_about_[producer.index()].push_back(static_cast<std::uint32_t>(entry_of_.size()));
        entry_of_.push_back(i * devices + device);
      }
    }
    sites_.resize(entry_of_.size());
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    plan.transfer_priority.resize(entries_);
    for (std::size_t site = 0; site < keys.size(); ++site) plan.transfer_priority[entry_of_[site]] = keys[site];
  }

  Decisions encode(const Plan& plan) const override {
    if (plan.transfer_priority.empty()) return Decisions(sites_.size(), 0.5F);
    std::vector<float> priorities;
    for (const std::size_t entry : entry_of_) priorities.push_back(plan.transfer_priority[entry]);
    return keys_in_order(priorities);
  }

  std::vector<std::uint32_t> sites_about(OperationId operation) const override {
    return sites_about_[operation.index()];
  }

 private:
  std::size_t entries_;
  std::vector<std::size_t> entry_of_;                    // by site: into Plan::transfer_priority
  std::vector<std::vector<std::uint32_t>> sites_about_;  // by operation: where its outputs go
};

const TaskKind transfers_kind =
    TaskKind::without_parameters<TransfersTask>("transfers", "what is sent first of all that waits for a link");

}  // namespace
}  // namespace hone
