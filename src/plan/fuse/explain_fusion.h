#pragma once

#include <vector>

#include "plan/fuse/fusion_graph.h"

namespace hone {

/// A kernel that two operations share.
struct SharedKernel {
  GroupId group;
  bool has_copy_of_first = false, has_copy_of_second = false;  // which live elsewhere
  double seconds = 0;
  double seconds_apart = 0;  // of its operations as kernels of their own
  double kept_bytes = 0;     // made in it and never written to memory
};

/// A way to have an operation in the kernel of one that reads it, and what comes of it.
struct FusionChange {
  enum class Way : std::uint8_t {
    merged,   // its kernel and that of the reader become one
    inlined,  // every kernel that reads it computes it itself
  };

  Way way = Way::merged;
  Refusal refusal = Refusal::none;
  OperationId culprit;  // what is refused, where something is
  OperationId between;  // where kernels would wait for one another: what the kernel reads and what waits for the kernel
  // Where nothing is refused, of the kernels that change:
  std::size_t kernels_now = 0, kernels_then = 0;
  double seconds_now = 0, seconds_then = 0;
  std::size_t times_computed = 0;  // kernels that compute the operation then
};

/// Whether two operations share a kernel in a plan, and why.
struct FusionExplanation {
  OperationId first, second;         // what is read before what reads it, as far as one needs the other
  std::vector<OperationId> way;      // the shortest from the first to the second, both included; empty: there is none
  std::vector<SharedKernel> shared;  // none: they are apart
  // Where they are apart and there is a way: the last read on it that comes from outside the second one's kernel.
  OperationId producer, reader;
  std::vector<FusionChange> changes;  // none where the two kernels are on different devices
};

/// The plan must have groups that `check_fusion` accepts, and the operations must differ.
FusionExplanation explain_fusion(const Problem& problem, const Plan& plan, OperationId one, OperationId other);

}  // namespace hone
