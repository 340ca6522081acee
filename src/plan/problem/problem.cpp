#include "plan/problem/problem.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "plan/problem/check.h"

namespace hone {

namespace {

/// By operation: the first of all operations that must share its device.
std::vector<std::size_t> first_sharing_device(const Workload& workload, std::span<const GroupId> group_of) {
  std::vector<std::size_t> first(workload.operation_count());
  const auto root = [&](std::size_t i) {
    while (first[i] != i) i = first[i] = first[first[i]];
    return i;
  };
  const auto unite = [&](std::size_t one, std::size_t other) {
    one = root(one);
    other = root(other);
    first[std::max(one, other)] = std::min(one, other);
  };
  std::unordered_map<std::uint32_t, std::size_t> first_of_class, first_of_group;
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = i;
    const std::uint32_t colocate = workload.operation(OperationId(i)).colocate;
    if (colocate != 0) unite(i, first_of_class.emplace(colocate, i).first->second);
    if (!group_of.empty()) unite(i, first_of_group.emplace(group_of[i].index(), i).first->second);
  }
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = root(i);
  return first;
}

}  // namespace

DeviceChoices::DeviceChoices(const Problem& problem, const Plan& plan) {
  const OperationTimes times(problem.workload, problem.machine);
  const std::vector<std::size_t> first = first_sharing_device(problem.workload, plan.group_of);
  std::vector<DeviceId> all;
  for (std::size_t device = 0; device < problem.machine.device_count(); ++device) all.emplace_back(device);
  std::unordered_map<std::uint32_t, std::size_t> choice_of_group;
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    const std::size_t choice = first[i] == i ? devices_.size() : choice_of_[first[i]];
    choice_of_.push_back(choice);
    if (choice == devices_.size()) devices_.push_back(all);
    restrict_to_able(problem, times, OperationId(i), choice);
    if (!plan.group_of.empty()) choice_of_group[plan.group_of[i].index()] = choice;
  }
  for (const Plan::Copy& copy : plan.copies)
    restrict_to_able(problem, times, copy.operation, choice_of_group[copy.group.index()]);
}

void DeviceChoices::restrict_to_able(const Problem& problem, const OperationTimes& times, OperationId operation,
                                     std::size_t choice) {
  std::erase_if(devices_[choice], [&](DeviceId device) {
    return std::isnan(times.at(operation, problem.machine.device(device).kind).stated_seconds);
  });
  if (devices_[choice].empty())
    fail("no device of {} can run '{}' and all operations that must share its device", problem.machine.name,
         problem.workload.operation(operation).name);
}

std::optional<std::string> check(const Problem& problem, const Plan& plan) {
  if (std::optional<std::string> flaw = check(problem.workload, problem.machine, plan)) return flaw;
  return problem.sharding ? check(*problem.sharding, plan.strategy_of) : std::nullopt;
}

Problem capped_at(Problem problem, const Cost& before) {
  for (DeviceKind& kind : problem.machine.kinds) kind.memory_bytes = std::min(kind.memory_bytes, before.peak_bytes);
  return problem;
}

Plan undecided_plan(const Problem& problem) {
  const Workload& workload = problem.workload;
  const DeviceChoices choices(problem);
  Plan plan;
  if (problem.sharding) plan.strategy_of.resize(problem.sharding->nodes.size());
  for (std::size_t i = 0; i < workload.operation_count(); ++i)
    plan.device_of.push_back(choices.devices(choices.choice_of(OperationId(i))).front());
  if (workload.given_order.empty()) return plan;
  plan.priority.resize(workload.operation_count());
  for (std::size_t rank = 0; rank < workload.given_order.size(); ++rank)
    plan.priority[workload.given_order[rank].index()] = -static_cast<float>(rank);
  return plan;
}

}  // namespace hone
