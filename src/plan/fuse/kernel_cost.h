#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/fuse/fusion_graph.h"
#include "plan/problem/group_time.h"

namespace hone {

/// Times of kernels that might be, for rules that fuse by what it saves.
class KernelCost {
 public:
  /// `plan` says by operation where operations run. All must outlive it.
  KernelCost(const Problem& problem, const FusionGraph& graph, const Plan& plan);

  /// Begins another kernel.
  void clear();
  /// Adds an operation to the kernel, once.
  void add(std::uint32_t operation);
  bool contains(std::uint32_t operation) const { return stamp_[operation] == kernel_; }
  /// Those added so far.
  std::span<const OperationId> operations() const { return operations_; }

  /// Puts the operations in topological order and says how long the kernel takes. Stored is what the first `homes`
  /// operations that were added make and others than the kernel's read, or nobody.
  double seconds(std::size_t homes);

 private:
  bool is_stored(BufferId buffer) const;

  const Problem& problem_;
  const FusionGraph& graph_;
  const Plan& plan_;
  GroupTimer timer_;
  std::vector<OperationId> operations_;
  std::vector<BufferId> stored_;
  std::vector<std::uint64_t> stamp_;  // by operation: the last kernel it was in
  std::uint64_t kernel_ = 0;
};

}  // namespace hone
