#include "learn/policy/policy_kind.h"

#include "learn/policy/card.h"
#include "learn/policy/plan_policy.h"

namespace hone {

std::unique_ptr<PlanGuide> PolicyKind::guide(const Policy&, const Search&, const GraphView&) const { return nullptr; }

void PolicyKind::set_first_rule(Safetensors&, const Objective&) const {}

Safetensors PolicyKind::draw_networks(const NetworkShape& shape, std::uint64_t seed) const {
  Safetensors contents;
  contents.metadata["schema"] = schema();
  contents.metadata["encoder"] = shape.encoder->name();
  contents.metadata["head"] = name();
  for (const Part& part : parts()) draw_arrays(part.describe(shape), seed, contents);
  return contents;
}

const PolicyKind& policy_kind_in(const Safetensors& contents, std::string_view source) {
  return kind_in<PolicyKind>(contents, "head", stepwise_policy(), source);
}

}  // namespace hone
