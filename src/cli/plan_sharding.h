#pragma once

#include <optional>

#include "base/error.h"
#include "cli/plan_request.h"

namespace hone {

/// Solves and prints the problem, or compares optimisers on it, when the user names a file that holds a sharding
/// problem; nothing when it holds something else. Seconds count from the start of reading. Throws InputError (usage)
/// for options that mean nothing there.
std::optional<ExitCode> plan_sharding(const PlanRequest& given);

}  // namespace hone
