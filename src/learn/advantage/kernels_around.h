#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "plan/fuse/fusion_graph.h"
#include "plan/fuse/kernel.h"
#include "plan/fuse/kernel_cost.h"
#include "plan/problem/group_contents.h"

namespace hone {

/// The kernels of a plan, and what others in their place would take by the model of kernels: what can be seen of a
/// change before anybody evaluates it. It looks at the kernels that the change is about and no further.
class KernelsAround {
 public:
  /// The problem must outlive it.
  explicit KernelsAround(const Problem& problem);

  /// From now on it speaks about this plan.
  void set(const Plan& plan);

  struct Kernel {
    double seconds = 0, compute_seconds = 0, memory_seconds = 0;
    std::uint32_t stored = 0;  // operations whose results leave it
    KernelShape shape;
  };
  /// What would come of a change.
  struct Change {
    double seconds = 0;        // more than now
    bool is_possible = false;  // as far as the shapes of kernels say
    bool is_change = false;    // some kernel would be another
  };

  const FusionGraph& graph() const { return graph_; }
  const Plan& plan() const { return plan_; }
  const Kernel& kernel(OperationId operation) const { return kernels_[plan_.group(operation).index()]; }
  double seconds_alone(OperationId operation) const { return alone_[operation.index()]; }
  const OperationTime& time(OperationId operation) const;
  /// Whether all that read it compute it, and how many kernels run it.
  bool is_inlined(OperationId operation) const { return inlined_[operation.index()] != 0; }
  std::size_t kernels_with(OperationId operation) const { return groups_of(operation).size(); }

  /// The kernels that run an operation and those that read it.
  std::vector<GroupId> kernels_near(OperationId operation) const;
  std::span<const OperationId> operations(GroupId kernel) const { return contents_->instances(kernel); }

  /// An operation stored by a kernel of its own.
  Change if_apart(OperationId operation);
  /// Computed by all that read it.
  Change if_inlined(OperationId operation);
  /// Its kernel and that of one that reads it made one.
  Change if_merged(OperationId operation, OperationId reader);
  /// The same with all that read it in step, as far as these may be one.
  Change if_merged_with_all(OperationId operation);

 private:
  std::span<const GroupId> groups_of(OperationId operation) const { return groups_[operation.index()]; }
  const Kernel& measured(GroupId group);
  Kernel measure(GroupId group);
  double seconds_of(std::span<const OperationId> homes, std::span<const OperationId> others);
  double seconds_without(GroupId group, std::span<const OperationId> gone);
  std::vector<OperationId> needed_only_by(OperationId operation, GroupId group) const;
  std::vector<GroupId> reading_groups(OperationId operation) const;
  Seat seat_between(GroupId producer, GroupId reader) const;
  Change if_home_is(OperationId operation, GroupId home);

  const Problem& problem_;
  FusionGraph graph_;
  OperationTimes times_;
  Plan plan_;
  KernelCost cost_;
  std::optional<GroupContents> contents_;
  std::vector<std::uint8_t> inlined_;                // by operation
  FlatLists<GroupId> groups_;                        // by operation: those that run it, its own first
  std::vector<Kernel> kernels_;                      // by group
  std::unordered_map<std::uint64_t, Kernel> known_;  // by what they consist of: most are as they were in the last plan
  std::vector<double> alone_;                        // by operation
};

}  // namespace hone
