#pragma once

#include <vector>

#include "plan/search/search.h"

namespace hone {

/// Decisions of so many pipelines of stages (see `pipeline_guidance`), the best first, for chains to begin with. All
/// are evaluated. None where devices are not decided, or kernels are, of which pipelines know nothing.
std::vector<Decisions> best_go_pipelines(Search& search, std::size_t count);

}  // namespace hone
