#pragma once

#include <span>

#include "run/measure/measurement.h"
#include "store/database/store.h"

namespace hone {

/// Records how long each model took; those that failed are left out. Returns how many were recorded.
std::size_t record_measurement(Store& store, std::span<const Candidate> candidates, const Measurement& measurement);

}  // namespace hone
