#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "base/error.h"

namespace hone {

/// Adds the commands below `hone plan` that list what its options can be told by name: optimisers, tasks, objectives.
/// Returns what the one does that was parsed, and null when none was.
std::function<std::function<ExitCode()>()> add_plan_lists(CLI::App& plan);

}  // namespace hone
