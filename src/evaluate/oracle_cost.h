#pragma once

#include "core/evaluator.h"
#include "core/problem.h"
#include "evaluate/oracle.h"

namespace hone {

/// Judges plans by the slow simulator: what a straightforward program would do. The problem must outlive it.
class OracleCost final : public Evaluator {
 public:
  explicit OracleCost(const Problem& problem) : problem_(problem) {}

  Cost evaluate(const Plan& plan) override { return simulate_slowly(problem_.workload, problem_.machine, plan).cost; }
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<OracleCost>(problem_); }

 private:
  const Problem& problem_;
};

}  // namespace hone
