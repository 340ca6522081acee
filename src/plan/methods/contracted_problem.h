#pragma once

#include <vector>

#include "plan/problem/problem.h"

namespace hone {

/// The groups of a plan as the operations of a problem of their own, so that whoever plans single operations can plan
/// kernels. Operation i is group i; its times are those of the kernel, and it reads and writes what the kernel does.
struct ContractedProblem {
  /// The plan must be right for the problem.
  ContractedProblem(const Problem& whole, const Plan& plan);

  Problem problem;
  std::vector<BufferId> buffer_of;  // by buffer of the whole: the same here; none where it stays inside a group
};

}  // namespace hone
