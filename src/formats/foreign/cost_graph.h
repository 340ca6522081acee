#pragma once

#include <string>
#include <string_view>

#include "plan/problem/workload.h"

namespace hone {

/// Reads a TensorFlow CostGraphDef in text form, as REGAL's public graphs are: nodes with compute costs in microseconds
/// and outputs with sizes in bytes.
///
/// An output is an alias of the input its alias_input_port names; as the form leaves out zeros, a missing port means
/// input 0 where there is one. Temporary memory becomes an output nobody reads, persistent memory a weight; final nodes
/// make outputs of the graph.
Workload parse_cost_graph(std::string_view text, const std::string& file);

}  // namespace hone
