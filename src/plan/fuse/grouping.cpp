#include "plan/fuse/grouping.h"

#include <algorithm>

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
  const auto copies_of = [&](OperationId operation) {
    return std::ranges::equal_range(plan.copies, operation, {}, &Plan::Copy::operation);
  };
  const auto computes = [&](GroupId group, OperationId operation) {
    return plan.group(operation) == group || std::ranges::binary_search(plan.copies, Plan::Copy{operation, group});
  };
  const auto is_internal = [&](BufferId id) {
    const OperationId producer = workload.buffer(id).producer;
    return !workload.buffer(id).is_output && !workload.readers(id).empty() &&
           std::ranges::all_of(workload.readers(id), [&](OperationId reader) {
             return computes(plan.group(reader), producer) &&
                    std::ranges::all_of(copies_of(reader),
                                        [&](const Plan::Copy& copy) { return computes(copy.group, producer); });
           });
  };
  std::vector<std::uint8_t> internal(workload.operation_count());
  for (std::size_t i = 0; i < internal.size(); ++i)
    internal[i] = std::ranges::all_of(workload.outputs(OperationId(i)), is_internal) ? 1 : 0;
  return internal;
}

}  // namespace hone
