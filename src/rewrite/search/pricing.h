#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/ir/model.h"
#include "plan/machine/machine.h"

namespace hone {

/// A node with all that its time depends on; it need not stand in a graph.
struct PricedNode {
  const Node* node = nullptr;
  std::vector<Type> inputs;             // of written inputs; unknown for omitted ones
  std::vector<bool> fixed;              // which of them are constants
  std::vector<const Tensor*> contents;  // of constants that are stored; null for all others
  std::vector<Type> outputs;
};

/// What one run of a node costs. Implementations must give equal answers to equal questions.
class NodePricing {
 public:
  virtual ~NodePricing() = default;
  virtual double seconds(const PricedNode& node) const = 0;
};

/// Prices by the roofline of the first device of a machine. A node whose size is not known costs one launch.
class RooflinePricing final : public NodePricing {
 public:
  RooflinePricing(Machine machine, Opsets opsets) : machine_(std::move(machine)), opsets_(std::move(opsets)) {}
  double seconds(const PricedNode& node) const override;

 private:
  Machine machine_;
  Opsets opsets_;
};

}  // namespace hone
