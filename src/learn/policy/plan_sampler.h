#pragma once

#include <optional>

#include "learn/policy/construction.h"
#include "learn/policy/features.h"
#include "learn/policy/plan_policy.h"
#include "learn/policy/policy.h"
#include "plan/search/search.h"

namespace hone {

/// Draws whole plans for one search from a policy that makes plans. The policy is asked once about the graph; each draw
/// starts from the best plan that the search knows by then.
class PlanSampler final : public PlanGuide {
 public:
  /// `policy`, `search` and `graph` must outlive it.
  PlanSampler(const Policy& policy, const Search& search, const GraphView& graph, std::unique_ptr<PlanMaker> maker);

  const Decisions& draw(double temperature, double spread) override;
  MoveWeights move_weights() const override;

 private:
  void take_best();

  const Policy& policy_;
  const Search& search_;
  const GraphView& graph_;
  Incumbent incumbent_;
  Features features_;
  LogitWeights weights_;
  std::unique_ptr<PlanMaker> maker_;
  Rng rng_;
  std::optional<Score> incumbent_score_;
  Plan plan_;
  Decisions decisions_;
};

/// The plan that a construction has made, on top of one with everything else in it.
Plan plan_of(const Constructed& made, Plan plan);

/// What constructions refer to before any plan is known.
Incumbent first_incumbent(const GraphView& graph);
/// Makes a plan the incumbent.
void take_plan(const Plan& plan, Incumbent& incumbent);

}  // namespace hone
