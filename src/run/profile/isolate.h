#pragma once

#include <map>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/datum.h"
#include "run/runtime/runtime.h"

namespace hone {

/// A graph as a runtime executes it, with what one run showed of it: every type is static where the run could tell, and
/// the contents of values that are not floating-point (indices, shapes, masks) are kept.
struct ObservedGraph {
  Model model;
  std::map<ValueId, Tensor> contents;
};

/// What a runtime makes of a model, observed by running it once on `inputs`.
ObservedGraph observe_optimized(const RuntimeHost& host, const ModelToRun& model, const std::vector<Datum>& inputs);

/// A model that is one node of another, so that the node can be timed alone. Several copies of the node stand side by
/// side, all reading the same inputs, none an output of the model: what they make is dropped at once, as inside a large
/// graph, so that it lies in memory that was just in use.
struct Isolated {
  Model model;
  std::vector<Datum> inputs;    // one a model input
  double activation_bytes = 0;  // read by the node, other than constants
  double weight_bytes = 0;
};

/// Throws InputError for a node whose inputs cannot be made up.
Isolated isolate(const ObservedGraph& graph, NodeId id, std::size_t copies);

/// A model that does nothing but what every isolated one does besides its node, and as many nodes of one number each.
Isolated empty_frame(const ObservedGraph& graph, std::size_t trivial_nodes);

}  // namespace hone
