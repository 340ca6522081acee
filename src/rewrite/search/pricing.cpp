#include "rewrite/search/pricing.h"

#include "plan/problem/lower.h"
#include "graph/ops/cost_context.h"

namespace hone {

double RooflinePricing::seconds(const PricedNode& priced) const {
  const DeviceId device(std::size_t{0});
  const double launch = machine_.kind(device).launch_seconds;
  const WorkClass work_class = work_class_of(*priced.node);
  if (work_class == WorkClass::view) return launch;  // no bytes move, but a runtime still visits the node
  const std::optional<NodeCost> cost = node_cost(*priced.node, priced.inputs, priced.outputs, opsets_);
  if (!cost) return launch;
  const ElementType element = priced.outputs.empty() ? ElementType::float32 : priced.outputs[0].element;
  return hone::seconds(machine_, device, {work_class, element, cost->flops, cost->bytes});
}

}  // namespace hone
