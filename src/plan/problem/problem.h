#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/problem/objective.h"
#include "plan/problem/operation_time.h"
#include "plan/problem/plan.h"
#include "plan/problem/sharding_problem.h"

namespace hone {

/// What is to be planned. No optimiser ever changes it.
struct Problem {
  Workload workload;
  Machine machine;
  Objective objective = Objective::seconds_in_memory;
  /// Where strategies of nodes are what is to be decided; workload and machine are empty then.
  std::shared_ptr<const ShardingProblem> sharding;
};

/// What is wrong with a plan for a problem, as one sentence; nothing when it is right.
std::optional<std::string> check(const Problem& problem, const Plan& plan);

/// Which devices may run what: operations that must share a device, those of a group among them, are one choice.
class DeviceChoices {
 public:
  /// Throws InputError naming operations that must share a device while no device can run all of them.
  explicit DeviceChoices(const Problem& problem) : DeviceChoices(problem, Plan()) {}
  /// With the groups and copies of a plan.
  DeviceChoices(const Problem& problem, const Plan& plan);

  std::size_t count() const { return devices_.size(); }
  std::size_t choice_of(OperationId operation) const { return choice_of_[operation.index()]; }
  /// Ascending, never empty.
  const std::vector<DeviceId>& devices(std::size_t choice) const { return devices_[choice]; }

 private:
  void restrict_to_able(const Problem& problem, const OperationTimes& times, OperationId operation, std::size_t choice);

  std::vector<std::size_t> choice_of_;
  std::vector<std::vector<DeviceId>> devices_;
};

/// The same problem on a machine none of whose devices has room for more than a plan of this cost holds on any one. An
/// objective that heeds memory then takes no plan that holds more.
Problem capped_at(Problem problem, const Cost& before);

/// What happens when nobody decides anything: all operations on the first device that can run it, in the order the
/// source gives or, without one, in topological order.
Plan undecided_plan(const Problem& problem);

}  // namespace hone
