#pragma once

#include <vector>

#include "learn/policy/graph_view.h"

namespace hone {

/// The order of all operations that constructions refer to. Where memory counts it is one of little memory on one
/// device (the best of the usual rules, improved by cheapest cuts once); else what is furthest from the end comes
/// first.
struct ReferenceOrder {
  std::vector<float> places;  // by operation, from 0 to 1
  double peak_bytes = 0;      // that it takes on one device
};
ReferenceOrder reference_order(const GraphView& graph);

}  // namespace hone
