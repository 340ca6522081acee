#include "bench/profiled_pricing.h"

#include <cmath>

#include "base/error.h"
#include "profile/graph_profile.h"
#include "profile/node_config.h"

namespace hone {
namespace {

constexpr std::size_t kRounds = 9;  // timings of a node

ProfileContext context_of(const ort::Environment& environment) {
  return {
      .hardware = hardware_fingerprint(), .runtime = "onnxruntime " + environment.library()->version(), .threads = 1};
}

Tensor zeros_of(const Type& type) {
  Dims dims;
  for (const Dim dim : type.shape) dims.push_back(dim.value());
  return Tensor::zeros(type.element, std::move(dims));
}

/// A graph of this node alone. Constants that are not stored, being computed from others, are zeros. Throws InputError
/// where a type is not known.
ObservedGraph graph_of(const PricedNode& priced, const Opsets& opsets) {
  ObservedGraph made;
  made.model.ir_version = 8;
  made.model.opsets = opsets;
  Graph& graph = made.model.graph;
  std::vector<ValueId> inputs, outputs;
  for (std::size_t i = 0; i < priced.inputs.size(); ++i) {
    const Type& type = priced.inputs[i];
    const std::string name = fmt::format("in{}", i);
    if (type.kind == Type::Kind::unknown) {
      inputs.emplace_back();
      continue;
    }
    if (!type.is_static_tensor()) fail("the type of input {} is not known", i);
    if (priced.contents[i] != nullptr) inputs.push_back(graph.add_constant(name, *priced.contents[i]));
    else inputs.push_back(priced.fixed[i] ? graph.add_constant(name, zeros_of(type)) : graph.add_input(name, type));
  }
  for (std::size_t i = 0; i < priced.outputs.size(); ++i)
    outputs.push_back(priced.outputs[i].kind == Type::Kind::unknown
                          ? ValueId()
                          : graph.add_value(fmt::format("out{}", i), priced.outputs[i]));
  graph.add_node(priced.node->op, inputs, outputs, *priced.node->attributes);
  return made;
}

}  // namespace

ProfiledPricing::ProfiledPricing(Opsets opsets, const NodePricing& otherwise, ProfileTable known,
                                 const ort::Environment& environment)
    : opsets_(std::move(opsets)),
      otherwise_(otherwise),
      table_(std::move(known)),
      context_(context_of(environment)),
      environment_(&environment) {}

ProfiledPricing::ProfiledPricing(Opsets opsets, const NodePricing& otherwise, ProfileTable known,
                                 ProfileContext context)
    : opsets_(std::move(opsets)), otherwise_(otherwise), table_(std::move(known)), context_(std::move(context)) {}

double ProfiledPricing::seconds(const PricedNode& priced) const {
  if (priced.node->captured > 0) return otherwise_.seconds(priced);
  try {
    const ObservedGraph graph = graph_of(priced, opsets_);
    const std::string config = node_config(graph.model, graph.model.graph.nodes()[0]);
    if (const auto timing = table_.find(context_, config)) return timing->seconds;
    if (environment_ != nullptr) {
      GraphProfiler profiler(*environment_, graph, context_);
      for (std::size_t round = 0; round < kRounds; ++round) profiler.round();
      profiler.finish(table_);
      if (const auto timing = table_.find(context_, config)) return timing->seconds;
    }
  } catch (const InputError&) {
    // The runtime refuses the node, or nobody knows its inputs.
  }
  return otherwise_.seconds(priced);
}

}  // namespace hone
