#pragma once

#include <span>
#include <vector>

#include "graph/ops/evaluate_context.h"

namespace hone {

/// The operator behind a node and the version of it that is in force.
struct Definition {
  const OpEntry* entry = nullptr;  // null when hone has none for this opset
  int version = 0;
  bool in_opset = true;  // false: runtimes read it in models of this opset, though ONNX defines it in later ones only
};
/// As runtimes read a model: what a domain means that the model uses without importing it is its newest version.
Definition definition_of(const Node& node, const Opsets& opsets);

/// Runs one node on the given written inputs. Throws InputError when it has no meaning here or refuses its inputs.
std::vector<Datum> evaluate(const Graph& graph, NodeId id, const Opsets& opsets, std::span<const Datum> inputs,
                            EvaluateContext::RunBody run_body = {}, std::uint64_t seed = 0);

}  // namespace hone
