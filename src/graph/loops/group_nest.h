#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "graph/loops/loop_view.h"

namespace hone {

/// Operators that shall be one loop nest.
struct LoopGroup {
  const Graph& graph;
  const Opsets& opsets;
  std::vector<NodeId> nodes;     // in topological order
  std::vector<ValueId> outputs;  // what is read outside; the first sets the order in which points are gone through
  std::function<LoopView(ValueId)> view_of;  // how what is read or written lies in its array
};

/// One loop nest for a group: its operands are the arrays of these values.
struct GroupNest {
  LoopNest nest;
  std::vector<ValueId> values;        // by operand
  std::vector<std::int64_t> offsets;  // by operand: of the first point, in elements
};

/// Why a group is not one loop nest, or the nest.
struct GroupNestResult {
  std::optional<GroupNest> nest;
  std::string refusal;
};

/// Writes a group as one loop nest: goes from the points of its first output back through the operators, each of which
/// says which elements it reads for an element that it writes.
GroupNestResult group_nest(const LoopGroup& group);

/// The same with every instruction marked that has one value a row, and such values spread where points are wanted.
LoopNest settled_rows(LoopNest nest);

}  // namespace hone
