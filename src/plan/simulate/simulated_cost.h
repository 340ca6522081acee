#pragma once

#include "plan/problem/problem.h"
#include "plan/search/evaluator.h"
#include "plan/simulate/blame.h"
#include "plan/simulate/simulator.h"

namespace hone {

/// Judges plans by the simulator. The problem must outlive it.
class SimulatedCost final : public Evaluator {
 public:
  explicit SimulatedCost(const Problem& problem)
      : SimulatedCost(problem, std::make_shared<SimulatorTables>(problem.workload, problem.machine)) {}

  Cost evaluate(const Plan& plan) override { return simulator_.evaluate(plan); }
  std::vector<Blame> blame(const Plan& plan) override { return blame_for(problem_, plan, simulator_.trace(plan)); }
  std::optional<Timeline> trace(const Plan& plan) override { return simulator_.trace(plan); }
  std::unique_ptr<Evaluator> fork() const override {
    return std::unique_ptr<Evaluator>(new SimulatedCost(problem_, tables_));
  }

 private:
  SimulatedCost(const Problem& problem, std::shared_ptr<const SimulatorTables> tables)
      : problem_(problem), tables_(tables), simulator_(tables) {}

  const Problem& problem_;
  std::shared_ptr<const SimulatorTables> tables_;
  Simulator simulator_;
};

}  // namespace hone
