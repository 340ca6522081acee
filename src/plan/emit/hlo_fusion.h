#pragma once

#include <span>

#include "formats/hlo/module.h"
#include "plan/problem/plan.h"

namespace hone {

/// The module with a fusion instruction in place of every group of several operations, for printing: names that are new
/// are no views into its text.
///
/// A group becomes a computation `fused_computation.N` with a parameter for every value that it reads from elsewhere;
/// scalar constants and copies are repeated in it, under new names. What others read of a group leaves it as its root,
/// several values as a tuple; nothing else does. The entry computation runs groups in the order given, in which each
/// comes after those it reads from, with everything that is no operation as late as possible; what nobody reads any
/// more is dropped from it. The plan is one for the workload that the module was turned into.
hlo::Module fuse_groups(const hlo::Module& module, const Plan& plan, std::span<const GroupId> order);

}  // namespace hone
