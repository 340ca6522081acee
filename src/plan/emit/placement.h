#pragma once

#include <cstdint>
#include <vector>

#include "graph/ir/graph.h"
#include "plan/emit/execution.h"

namespace hone {

/// Where the nodes of a model's main graph run and when.
struct Placement {
  struct Place {
    DeviceId device;
    std::uint32_t stream = 0;
    std::uint32_t stage = 0;  // see Execution::Step
    friend bool operator==(const Place&, const Place&) = default;
  };

  std::vector<NodeId> order;    // nodes that are operations, in the order in which they start
  std::vector<Place> place_of;  // by node slot; a constant is with its first reader
};

/// What an execution means for the graph whose model was lowered to its workload. Throws InputError when the graph
/// is another one.
Placement place_nodes(const Graph& graph, const Execution& execution);

}  // namespace hone
