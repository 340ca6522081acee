#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/fuse/group_forest.h"
#include "plan/fuse/grouping.h"

namespace hone {

/// Has operations computed by those that read them: in their kernel or, where they belong to several, in each of them.
/// An operation is computed by all its readers or by none, so that what it makes never crosses memory.
///
/// Readers are looked at before what they read. No kernels come to wait for one another by this: a kernel that computes
/// an operation itself reads what the operation read, and had to wait for that already. Reused without allocating.
class Inliner {
 public:
  explicit Inliner(const FusionGraph& graph);

  /// On top of the groups of a forest, those operations that are alone there and wanted.
  void inline_into(GroupForest& forest, std::span<const std::uint8_t> wanted);

  const Grouping& grouping() const { return grouping_; }
  /// Why an operation that was wanted is not computed by its readers; none where it is, or was not wanted.
  Refusal refusal(std::uint32_t operation) const { return refusals_[operation]; }

 private:
  /// An operation in a kernel, its own or not.
  struct Instance {
    std::uint32_t group = 0;
    bool aligned = true;
  };
  /// A kernel that an operation would be computed in.
  struct Host {
    std::uint32_t group = 0;
    Seat seat;
  };

  void find_hosts(std::uint32_t operation);
  Refusal refusal_by_hosts(std::uint32_t operation);
  void settle(std::uint32_t operation);
  std::span<const Instance> instances_of(std::uint32_t operation) const {
    return std::span(instances_).subspan(first_[operation], count_[operation]);
  }
  void add_instance(std::uint32_t operation, Instance instance);

  const FusionGraph& graph_;
  std::vector<KernelShape> kernels_;          // by operation that names a group
  std::vector<Instance> instances_;           // operation by operation
  std::vector<std::uint32_t> first_, count_;  // by operation: its instances
  std::vector<Host> hosts_;                   // of the operation at hand
  std::vector<std::uint32_t> host_of_;        // by group: where it is among them
  std::vector<JoinedKernel> joined_;          // by host
  std::vector<Refusal> refusals_;
  Grouping grouping_;
};

}  // namespace hone
