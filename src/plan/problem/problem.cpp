#include "plan/problem/problem.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "plan/problem/check.h"
#include "plan/problem/operation_time.h"

namespace hone {

DeviceChoices::DeviceChoices(const Problem& problem) {
  const OperationTimes times(problem.workload, problem.machine);
  std::unordered_map<std::uint32_t, std::size_t> choice_of_class;
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    const Operation& operation = problem.workload.operation(OperationId(i));
    std::vector<DeviceId> able;
    for (std::size_t device = 0; device < problem.machine.device_count(); ++device)
      if (!std::isnan(times.at(OperationId(i), problem.machine.devices[device].kind).stated_seconds))
        able.emplace_back(device);
    std::size_t choice = devices_.size();
    if (operation.colocate != 0) choice = choice_of_class.emplace(operation.colocate, choice).first->second;
    choice_of_.push_back(choice);
    if (choice == devices_.size()) devices_.push_back(able);
    std::erase_if(devices_[choice], [&](DeviceId device) { return std::ranges::find(able, device) == able.end(); });
    if (devices_[choice].empty())
      fail("no device of {} can run '{}' and all operations that must share its device", problem.machine.name,
           operation.name);
  }
}

std::optional<std::string> check(const Problem& problem, const Plan& plan) {
  if (std::optional<std::string> flaw = check(problem.workload, problem.machine, plan)) return flaw;
  return problem.sharding ? check(*problem.sharding, plan.strategy_of) : std::nullopt;
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
