#pragma once

#include <cstdint>

#include "plan/problem/problem.h"

namespace hone {

/// A rule that makes kernels from nothing but the graph and where its operations run.
enum class FusionRule : std::uint8_t {
  none,         // every operation a kernel of its own
  all,          // operations computed by their readers wherever that may be
  topological,  // operations merged with their readers wherever that may be, in topological order
  priority,     // what saves most time by the model of kernels first, as XLA does
  merging,      // what saves most time as one kernel of several results first, then as `priority`
};

/// Whether operations that a plan has on different devices may share a kernel, which then runs on one of them.
enum class AcrossDevices : std::uint8_t { allowed, never };

/// The plan with kernels made by a rule instead of those it has.
Plan fused_by(FusionRule rule, const Problem& problem, const Plan& plan, AcrossDevices across = AcrossDevices::allowed);

}  // namespace hone
