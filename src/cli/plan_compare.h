#pragma once

#include "base/error.h"
#include "cli/plan_request.h"

namespace hone {

/// All of `hone plan MODEL --compare A,B,C`: several optimisers at equal budget, over several seeds, as one table.
ExitCode compare_optimizers(const PlanRequest& request);

}  // namespace hone
