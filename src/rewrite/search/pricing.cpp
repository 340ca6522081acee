#include "rewrite/search/pricing.h"

#include "graph/ops/cost_context.h"
#include "plan/problem/lower.h"

namespace hone {

double RooflinePricing::seconds(const PricedNode& priced) const {
  const DeviceId device(std::size_t{0});
  const double launch = machine_.kind(device).launch_seconds;
  const OperationClass operation_class = operation_class_of(*priced.node);
  if (operation_class == OperationClass::view) return launch;  // no bytes move, but a runtime still visits the node
  const std::optional<NodeCost> cost = node_cost(*priced.node, priced.inputs, priced.outputs, opsets_);
  if (!cost) return launch;
  const ElementType element = priced.outputs.empty() ? ElementType::float32 : priced.outputs[0].element;
  return hone::seconds(machine_, device, {operation_class, element, cost->flops, cost->bytes});
}

}  // namespace hone
