#pragma once

#include <string>

#include "formats/hlo/module.h"
#include "plan/emit/execution.h"

namespace hone {

/// The module's text with the entry computation in the order in which groups start, all devices together, and
/// `is_scheduled=true`; groups of several operations are fusions (see `fuse_groups`). Plan and execution are of the
/// workload that the module was turned into.
std::string scheduled_text(const hlo::Module& module, const Plan& plan, const Execution& execution);

}  // namespace hone
