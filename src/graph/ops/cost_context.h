#pragma once

#include "graph/ops/op.h"

namespace hone {

/// What an operator's `flops` and `bytes` see: static types of inputs and outputs.
class CostContext : public NodeReader {
 public:
  CostContext(const OpEntry& entry, const Node& node, int version, std::span<const Type> inputs,
              std::span<const Type> outputs)
      : NodeReader(entry, node, version), inputs_(inputs), outputs_(outputs) {}

  const Type& input(std::size_t i) const { return inputs_[i]; }
  const Type& output(std::size_t i) const { return outputs_[i]; }
  /// Elements of a tensor; 0 for an omitted one.
  double input_elements(std::size_t i) const { return i < inputs_.size() ? elements(inputs_[i]) : 0; }
  double output_elements(std::size_t i) const { return i < outputs_.size() ? elements(outputs_[i]) : 0; }
  /// Size of dimension `axis` of input `i`; negative axes count from the end.
  double input_dim(std::size_t i, int axis) const { return dim(inputs_[i], axis); }
  double output_dim(std::size_t i, int axis) const { return dim(outputs_[i], axis); }
  double input_bytes(std::size_t i) const;
  double output_bytes(std::size_t i) const;

 private:
  static double elements(const Type& type);
  static double dim(const Type& type, int axis);

  std::span<const Type> inputs_;
  std::span<const Type> outputs_;
};

/// What one run of a node costs, from the table; nullopt when a shape is not static.
struct NodeCost {
  double flops = 0;
  double bytes = 0;
};
std::optional<NodeCost> node_cost(const Graph& graph, NodeId id, const Opsets& opsets);
/// The same for a node that stands in no graph yet, with the types of its written inputs and of its outputs.
std::optional<NodeCost> node_cost(const Node& node, std::span<const Type> inputs, std::span<const Type> outputs,
                                  const Opsets& opsets);

}  // namespace hone
