#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/flat_lists.h"
#include "plan/problem/plan.h"

namespace hone {

/// What the groups of a plan consist of, copies included. Workload and plan must outlive it.
class GroupContents {
 public:
  GroupContents(const Workload& workload, const Plan& plan);

  std::size_t group_count() const { return instances_.size(); }
  /// The operations that a group runs, producers before readers.
  std::span<const OperationId> instances(GroupId group) const { return instances_[group.index()]; }
  /// Whether a group runs an operation, at home or as a copy.
  bool runs(GroupId group, OperationId operation) const;
  /// The buffers that a group reads from memory, each once.
  std::vector<BufferId> reads(GroupId group) const;
  /// Whether a buffer that an operation makes leaves its group: as a result of the graph, because nobody reads it, or
  /// because it is read where it is not made.
  bool is_stored(BufferId buffer) const;
  /// The buffers that leave a group.
  std::vector<BufferId> stores(GroupId group) const;
  /// The groups that read a buffer from memory, each once.
  std::vector<GroupId> readers(BufferId buffer) const;
  /// Whether `holds(group)` for any group that runs an operation.
  template <class Holds>
  bool any_group_of(OperationId operation, Holds holds) const {
    return holds(plan_.group(operation)) || std::ranges::any_of(copied_to_[operation.index()], holds);
  }

  /// A group in a few words by the operators in it: `MatMul+Add*3+Relu`; of many kinds of operator the first ones and
  /// how many operations there are, `Exp+Mul*4+Add+... (17)`.
  std::string text(GroupId group) const;

 private:
  const Workload& workload_;
  const Plan& plan_;
  std::vector<std::vector<OperationId>> instances_;  // by group
  FlatLists<GroupId> copied_to_;                     // by operation, ascending
};

}  // namespace hone
