#pragma once

#include <span>
#include <vector>

#include "zoo/builder.h"

namespace hone::zoo {

/// What one half of a block of a searched cell does to a hidden state.
enum class CellOp {
  none,
  separable3,
  separable5,
  separable7,
  average3,
  max3,
  max2,
  conv1,
  conv3,
  conv1x7_7x1,
};

/// One half of a block: an operation on an earlier state. States 0 and 1 are the cell's inputs, 2 and up its blocks.
struct CellEdge {
  std::size_t state;
  CellOp op;
};

/// A cell found by architecture search: each two edges are added to make a block; some states are joined as the result.
struct CellPlan {
  std::span<const CellEdge> edges;
  std::span<const std::size_t> joined;
  std::size_t newest =
      0;  // which of states 0 and 1 is the output of the cell before; the other is of the one before that
};

/// Two tensors a chain of cells hands on.
struct CellInputs {
  ValueId newest;
  ValueId older;
};

/// One cell; a stride of 2 halves the resolution.
ValueId searched_cell(Builder& b, const CellPlan& plan, CellInputs inputs, std::int64_t channels, std::int64_t stride);

/// The pair for the next cell.
inline CellInputs advance(CellInputs inputs, ValueId output) { return {.newest = output, .older = inputs.newest}; }

}  // namespace hone::zoo
