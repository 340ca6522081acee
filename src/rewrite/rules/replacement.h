#pragma once

#include <optional>
#include <vector>

#include "rewrite/rules/match.h"

namespace hone {

/// A value that a replacement adds.
struct NewValue {
  Type type;
  std::optional<Tensor> constant;
};

/// What takes the place of a match: nodes to add and to remove. Values that the right side defines anew have the ids
/// that follow those of the graph; its outputs keep the ids, names and types that they have.
///
///   x -> MatMul(A) -> y      becomes      x -> MatMul -> Split -> y
///   x -> MatMul(B) -> z               Concat(A, B) -/        \--> z
struct Replacement {
  const Rule* rule = nullptr;
  std::size_t first_value = 0;  // id of values[0]
  std::vector<NewValue> values;
  std::vector<Node> nodes;                           // to add, producers first
  std::vector<std::pair<ValueId, ValueId>> aliases;  // values whose readers read another instead
  std::vector<NodeId> removed;                       // nobody needs them any more, readers first
};

/// Instantiates the right side of a match. Weight expressions are computed when they are small and else left as nodes
/// over constants, which folding removes later. Nullopt when the opset cannot say it, an operator refuses its inputs,
/// or an output would have another type than it has now.
std::optional<Replacement> replacement(const Match& match, const RuleSetting& setting);

/// What applying a replacement did to a graph.
struct Change {
  std::vector<NodeId> added;
  std::vector<NodeId> removed;
};

/// Puts the replacement into the graph it was made for, or into an equal copy of it.
Change apply(Graph& graph, const Replacement& replacement);

/// Gives every new value of a rewritten graph a name that no other has.
void name_new_values(Graph& graph, std::size_t first_new_value);

}  // namespace hone
