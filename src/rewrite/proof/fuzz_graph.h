#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/datum.h"
#include "rewrite/proof/instance.h"

namespace hone {

/// A graph to be rewritten and what to run it on.
struct FuzzGraph {
  Model model;
  std::vector<Datum> inputs;
  bool finite = true;  // every value it computes from them is: what some rules assume
};

/// A random graph of left sides of rules that hang together, the later ones reading what the earlier ones make; one of
/// them is of `aimed`, where it could be applied. Operands and operators here and there are swapped
/// for others, inner values become outputs, and sizes of inputs may be symbols. It can be run. Nullopt
/// when the choices lead nowhere.
std::optional<FuzzGraph> random_fuzz_graph(std::span<const Rule* const> rules, const Rule& aimed, Choices& choices);

/// Whether every tensor whose size is known has so many elements at most; larger graphs take too long to run.
bool has_small_tensors(const Graph& graph, std::int64_t most_elements);

}  // namespace hone
