#pragma once

#include <string>
#include <string_view>

#include "plan/problem/workload.h"

namespace hone {

/// Reads a layer profile of PipeDream (Narayanan et al., SOSP 2019): lines `nodeN -- layer -- forward_compute_time=ms,
/// ...` and indented edges `nodeA -- nodeB`.
///
/// Every layer is a forward operation and, when the profile has backward times, a backward operation that must share
/// its device. Parameters are weights both read; the backward operation of a layer reads its own and its predecessors'
/// activations and the gradients of its successors.
Workload parse_pipedream(std::string_view text, const std::string& file);

}  // namespace hone
