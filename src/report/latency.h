#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "run/measure/measurement.h"
#include "run/runtime/kernel_profile.h"

namespace hone {

/// The table of `hone measure`: one row a model, times in milliseconds, the speed-up over the first with its interval.
std::string latency_table(const Measurement& measurement);

/// The same as an object: everything of the table, the timings themselves and what the machine was doing.
nlohmann::ordered_json latency_json(const Measurement& measurement);

/// Where the time goes in one model: a row an operator, then the longest nodes.
std::string kernel_table(const KernelProfile& profile);
nlohmann::ordered_json kernel_json(const KernelProfile& profile);

}  // namespace hone
