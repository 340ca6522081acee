#include "learn/policy/plan_policy.h"

#include <algorithm>

#include "base/error.h"
#include "learn/policy/plan_sampler.h"

namespace hone {
namespace {

NetworkSpec plan_network(const NetworkShape& shape) {
  NetworkSpec spec = encoder_network("", shape, kFeatures, kOptionFeatures);
  spec.free.push_back(zeros(kWaitArray, kWaitFeatures));
  return spec;
}

NetworkSpec move_network(const NetworkShape& shape) {
  return encoder_network("moves.", shape, kFeatures, kMoveFeatures);
}

}  // namespace

PlanPolicyKind::PlanPolicyKind(std::string_view name, std::string_view summary)
    : PolicyKind(name, summary, kFeatureSchema, {{kPlanNetwork, plan_network}, {kMoveNetwork, move_network}}) {}

std::unique_ptr<PlanGuide> PlanPolicyKind::guide(const Policy& policy, const Search& search,
                                                 const GraphView& graph) const {
  return std::make_unique<PlanSampler>(policy, search, graph, make_maker(graph));
}

const PlanPolicyKind& as_plan_policy(const PolicyKind& kind) {
  const auto* found = dynamic_cast<const PlanPolicyKind*>(&kind);
  if (found == nullptr) fail_usage("policies of kind '{}' do not make plans of operations", kind.name());
  return *found;
}

LogitWeights plan_weights(const Network& plans, const GraphInput& graph) {
  LogitWeights weights{.rows = plans.run(graph)};
  std::ranges::copy(plans.free(kWaitArray), weights.wait.begin());
  return weights;
}

}  // namespace hone
