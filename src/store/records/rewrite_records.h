#pragma once

#include <map>
#include <string>
#include <vector>

#include "rewrite/worth/timed_rewrites.h"
#include "run/profile/operator_timing.h"
#include "store/database/store.h"

namespace hone {

/// Records the rewrites of one model that were measured under these conditions; `graph` is the original.
void record_rewrites(Store& store, const GraphRecord& graph, const ProfileContext& context, const TimedRewrites& timed);

/// What was measured of models under exactly these conditions on the computer we run on; of a model that was measured
/// several times, the last. Records of a hone that split time into other parts are left out.
std::vector<TimedRewrites> stored_rewrites(Store& store, const ProfileContext& context);

/// The same of all computers together, by the name of the runtime: of a store that came from elsewhere.
std::map<std::string, std::vector<TimedRewrites>> rewrites_by_runtime(Store& store);

}  // namespace hone
