#pragma once

#include <span>
#include <vector>

#include "graph/ops/op.h"

namespace hone {

/// What Einsum sums, with one label for each axis of its inputs and its output.
struct EinsumEquation {
  /// What an axis is called: a letter, or a number above all letters for each axis that an ellipsis covers.
  using Label = int;

  std::vector<std::vector<Label>> inputs;
  std::vector<Label> output;
};

/// Reads the node's equation for inputs of these ranks; throws InputError through the node where it does not fit.
EinsumEquation einsum_equation(const NodeReader& node, std::span<const std::size_t> ranks);

}  // namespace hone
