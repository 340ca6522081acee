#pragma once

#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "plan/problem/plan.h"

namespace hone {

/// Which operations run in which groups of a plan, at home and as copies, for whoever reads plans rather than evaluates
/// thousands of them. The plan must be right (see `check`); both must outlive this.
class PlanInstances {
 public:
  PlanInstances(const Workload& workload, const Plan& plan);

  /// Operations that run in a group, in topological order.
  std::span<const OperationId> of(GroupId group) const { return instances_[group.index()]; }
  /// Groups in which an operation runs, its home first.
  std::span<const GroupId> groups(OperationId operation) const { return groups_[operation.index()]; }
  bool holds(GroupId group, OperationId operation) const;

  /// Groups that read a buffer from outside: an operation there reads it, and none makes it. Distinct, ascending.
  std::vector<GroupId> readers_outside(BufferId buffer) const;
  /// Whether something is written to memory: it is made and a result, read by nobody or read from outside.
  bool is_stored(BufferId buffer) const;

 private:
  const Workload& workload_;
  FlatLists<OperationId> instances_;  // by group
  FlatLists<GroupId> groups_;         // by operation
};

}  // namespace hone
