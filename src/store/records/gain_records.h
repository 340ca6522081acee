#pragma once

#include <vector>

#include "rewrite/worth/measured_gains.h"
#include "store/database/store.h"

namespace hone {

/// Records what rewriting one model was measured to bring on the computer we run on; `graph` is the original.
void record_gains(Store& store, const GraphRecord& graph, const MeasuredGains& gains);

/// Everything of that kind that a store has, of whatever computer; of a model and runtime that were measured several
/// times, the last.
std::vector<MeasuredGains> stored_gains(Store& store);

}  // namespace hone
