#pragma once

#include <string>

#include "plan/problem/plan.h"

namespace hone {

/// `65 operations`, and where several share a group `65 operations in 12 groups`.
std::string size_text(const Workload& workload, const Plan& plan);

/// An empty line and a table of what groups of several operations contain, those first that take in the most
/// operations; nothing where a plan has none.
std::string groups_text(const Workload& workload, const Plan& plan);

}  // namespace hone
