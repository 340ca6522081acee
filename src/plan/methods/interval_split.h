#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/methods/load_graph.h"

namespace hone {

/// What a split into intervals is to make small.
enum class SplitBy {
  largest_load,  // of the devices: each takes one interval
  sum_of_loads,  // as if intervals ran one after another; hosts take as many as they like, each at no cost but its work
};

/// A placement and what it comes to.
struct Split {
  std::vector<std::uint32_t> device_of;  // by choice
  double value = 0;
};

/// The best of all ways to cut an order of the choices into intervals and give each to a device that it fits on, by
/// dynamic programming; nothing when there is none. Devices of one kind count as alike. Long orders are cut at a
/// thousand places only.
std::optional<Split> split_into_intervals(const LoadGraph& graph, const std::vector<std::uint32_t>& order, SplitBy by);

}  // namespace hone
