#pragma once

#include "plan/problem/problem.h"
#include "plan/search/evaluator.h"

namespace hone {

/// The simulator's rules as one would program them in an afternoon, for plans that do not group operations: an event
/// loop over the standard containers, everything looked up anew for every plan. What a straightforward search would
/// use; agrees with the simulator to the last bit. The problem must outlive it.
class PlainCost final : public Evaluator {
 public:
  explicit PlainCost(const Problem& problem) : problem_(problem) {}

  Cost evaluate(const Plan& plan) override;
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<PlainCost>(problem_); }

 private:
  const Problem& problem_;
};

}  // namespace hone
