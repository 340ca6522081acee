#pragma once

#include <optional>

#include "learn/policy/policy.h"
#include "plan/search/search.h"

namespace hone {

/// Draws whole plans for one search from a policy. The policy is asked once about the graph; each draw leans on the
/// best plan that the search knows by then.
class PlanSampler {
 public:
  PlanSampler(const Search& search, const Policy& policy);

  /// Decisions of one drawn plan, valid until the next call; drawn with a heat from `heat` to `spread` times that, each
  /// order of magnitude as likely as the next, so that no certainty of the policy is followed by all plans.
  const Decisions& draw(double heat, double spread);
  const GraphView& graph() const { return graph_; }
  const Features& features() const { return features_; }

 private:
  void lean_on_best();

  const Search& search_;
  GraphView graph_;
  Incumbent incumbent_;
  Features features_;
  Taste taste_;
  std::unique_ptr<PlanMaker> maker_;
  Rng rng_;
  std::optional<Score> leaned_on_;
  Plan plan_;
  Decisions decisions_;
};

/// The plan that a construction has made, on top of one with everything else in it.
Plan plan_of(const Constructed& made, Plan plan);

/// What constructions lean on before any plan is known.
Incumbent first_incumbent(const GraphView& graph);
/// Makes them lean on a plan.
void lean_on(const Plan& plan, Incumbent& incumbent);

}  // namespace hone
