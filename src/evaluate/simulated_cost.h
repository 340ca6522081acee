#pragma once

#include "core/evaluator.h"
#include "core/problem.h"
#include "evaluate/simulator.h"

namespace hone {

/// Judges plans by the simulator. The problem must outlive it.
class SimulatedCost final : public Evaluator {
 public:
  explicit SimulatedCost(const Problem& problem)
      : SimulatedCost(std::make_shared<SimulatorTables>(problem.workload, problem.machine)) {}

  Cost evaluate(const Plan& plan) override { return simulator_.evaluate(plan); }
  std::unique_ptr<Evaluator> fork() const override { return std::unique_ptr<Evaluator>(new SimulatedCost(tables_)); }

 private:
  explicit SimulatedCost(std::shared_ptr<const SimulatorTables> tables) : tables_(tables), simulator_(tables) {}

  std::shared_ptr<const SimulatorTables> tables_;
  Simulator simulator_;
};

}  // namespace hone
