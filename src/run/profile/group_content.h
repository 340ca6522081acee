#pragma once

#include <cstdint>
#include <vector>

#include "graph/ir/model.h"
#include "plan/problem/group_time.h"

namespace hone {

/// What groups of a model's operators are, each as a number that two share only if they take equally long: the same
/// operators with the same attributes and types, which read one another in the same way and store the same. By what
/// kinds of operator its inputs are made and its results are read counts too, as these decide how tensors lie in
/// memory. Names do not count, so that what was timed once is known wherever it occurs, in other models too.
class GroupContent {
 public:
  /// `workload` is what `lower` makes of the model; both must outlive it.
  GroupContent(const Model& model, const Workload& workload);

  std::uint64_t key(const KernelView& group) const;

 private:
  std::uint64_t input_key(const KernelView& group, ValueId input, std::vector<ValueId>& outer) const;
  std::uint64_t readers_key(ValueId output) const;

  const Model& model_;
  const Workload& workload_;
  std::vector<NodeId> nodes_;                // by operation
  std::vector<std::uint32_t> operation_of_;  // by node
  std::vector<std::uint64_t> configs_;       // by operation, see node_config
};

}  // namespace hone
