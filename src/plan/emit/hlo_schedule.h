#pragma once

#include <string>

#include "formats/hlo/module.h"
#include "plan/emit/execution.h"

namespace hone {

/// The module's text with the entry computation in the order in which operations start, all devices together, and
/// `is_scheduled=true`. The execution is one of the workload that the module was turned into.
std::string scheduled_text(const hlo::Module& module, const Execution& execution);

}  // namespace hone
