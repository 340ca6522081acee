#pragma once

#include "learn/policy/plan_maker.h"
#include "learn/policy/policy_kind.h"
#include "plan/problem/objective.h"

namespace hone {

/// Policies that make plans of operations: the outputs of the network `plans` are weights of the features of options,
/// those of `moves` weights of the features of moves.
class PlanPolicyKind : public PolicyKind {
 public:
  PlanPolicyKind(std::string_view name, std::string_view summary);

  /// Makes plans for one graph, which must outlive it.
  virtual std::unique_ptr<PlanMaker> make_maker(const GraphView& graph) const = 0;

  std::unique_ptr<PlanGuide> guide(const Policy& policy, const Search& search, const GraphView& graph) const override;
};

inline constexpr std::string_view kPlanNetwork = "plans", kMoveNetwork = "moves";

/// Step by step, in view of what is decided already: REGAL's autoregressive policy.
const PlanPolicyKind& stepwise_policy();

/// A kind as one that makes plans. Throws InputError (usage) where it is another.
const PlanPolicyKind& as_plan_policy(const PolicyKind& kind);

/// What the network for plans says of a graph.
LogitWeights plan_weights(const Network& plans, const GraphInput& graph);

/// Sets the weight of an option's feature in the head of the network for plans.
template <class Feature>
void set_weight(Safetensors& contents, Feature feature, float weight) {
  contents.arrays.at("head.bias").values[static_cast<std::size_t>(feature)] = weight;
}

}  // namespace hone
