#pragma once

#include <string>
#include <string_view>

#include "plan/problem/workload.h"

namespace hone {

/// Reads a graph of DOPPLER (Yao et al., ICLR 2026): a line with the number of nodes, one that lists those that are
/// only inputs, one each with both ends of all edges between the others, then a line for each of these: what computing
/// it and sending its result to another device take, and perhaps its kind. What costs 10^10 takes a second, the unit of
/// the figures that are reported of these graphs.
Workload parse_doppler(std::string_view text, const std::string& file);

}  // namespace hone
