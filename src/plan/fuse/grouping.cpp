#include "plan/fuse/grouping.h"

#include <algorithm>

#include "plan/problem/group_contents.h"

namespace hone {

void GroupWriter::write(const Grouping& grouping, Plan& plan) {
  const std::size_t operations = grouping.group_of.size();
  plan.group_of.clear();
  plan.copies.clear();
  last_.resize(operations);
  number_.resize(operations);
  for (std::uint32_t i = 0; i < operations; ++i) last_[grouping.group_of[i]] = i;
  // Groups are numbered by their last operations, so that what is decided for a group stands at its number or later.
  std::uint32_t groups = 0;
  for (std::uint32_t i = 0; i < operations; ++i) {
    if (last_[grouping.group_of[i]] != i) continue;
    plan.device_of[groups] = plan.device_of[i];
    if (!plan.priority.empty()) plan.priority[groups] = plan.priority[i];
    number_[i] = groups++;
  }
  if (groups == operations) return;
  plan.device_of.resize(groups);
  if (!plan.priority.empty()) plan.priority.resize(groups);
  for (std::uint32_t i = 0; i < operations; ++i) plan.group_of.emplace_back(number_[last_[grouping.group_of[i]]]);
  for (const Grouping::Copy& copy : grouping.copies)
    plan.copies.push_back({OperationId(copy.operation), GroupId(number_[last_[copy.group]])});
  std::ranges::sort(plan.copies);
}

std::vector<std::uint8_t> computed_by_readers(const Workload& workload, const Plan& plan) {
  const GroupContents contents(workload, plan);
  std::vector<std::uint8_t> internal(workload.operation_count());
  for (std::size_t i = 0; i < internal.size(); ++i) {
    const auto is_stored = [&](BufferId output) { return contents.is_stored(output); };
    internal[i] = std::ranges::none_of(workload.outputs(OperationId(i)), is_stored) ? 1 : 0;
  }
  return internal;
}

}  // namespace hone
