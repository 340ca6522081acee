#include "core/task.h"

namespace hone {
namespace {

/// A key for every buffer that may have to move and every device it may have to move to: its priority on the link.
class TransfersTask final : public Task {
 public:
  explicit TransfersTask(const Problem& problem)
      : workload_(problem.workload),
        devices_(problem.machine.device_count()),
        entries_(problem.workload.buffer_count() * problem.machine.device_count()) {
    for (std::size_t i = 0; i < problem.workload.buffer_count(); ++i) {
      first_site_.push_back(static_cast<std::uint32_t>(entry_of_.size()));
      if (!may_move(BufferId(i))) continue;
      for (std::size_t device = 0; device < devices_; ++device) entry_of_.push_back(i * devices_ + device);
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

  std::vector<std::uint32_t> sites_about(WorkId work) const override {
    std::vector<std::uint32_t> sites;
    for (const BufferId output : workload_.outputs(work))
      for (std::uint32_t i = 0; may_move(output) && i < devices_; ++i) sites.push_back(first_site_[output.index()] + i);
    return sites;
  }

 private:
  bool may_move(BufferId buffer) const {
    return devices_ > 1 && workload_.buffer(buffer).producer.valid() && !workload_.readers(buffer).empty();
  }

  const Workload& workload_;
  std::size_t devices_, entries_;
  std::vector<std::uint32_t> first_site_;  // by buffer
  std::vector<std::size_t> entry_of_;      // by site: into Plan::transfer_priority
};

const TaskKind transfers_kind("transfers", "what is sent first of all that waits for a link",
                              [](const Problem& problem) -> std::unique_ptr<Task> {
                                return std::make_unique<TransfersTask>(problem);
                              });

}  // namespace
}  // namespace hone
