#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plan/search/search.h"
#include "store/database/store.h"

namespace hone {

/// Records a planning run: problem, request, what the search came to, and the plan. Returns the id of the run.
std::string record_plan(Store& store, const Problem& problem, const Solution& solution,
                        const nlohmann::ordered_json& request);

}  // namespace hone
