#pragma once

#include <memory>
#include <optional>

#include "plan/problem/problem.h"
#include "plan/search/evaluator.h"
#include "plan/simulate/bounds.h"
#include "plan/simulate/call_latency.h"
#include "plan/simulate/device_loads.h"
#include "plan/simulate/simulator.h"

namespace hone {

/// Judges plans by what the objective of a problem asks for and nothing else: only run time needs the simulator. Where
/// it is not needed, `seconds` of the costs is the throughput or latency asked for, and memory is as DeviceLoads says.
/// The problem must outlive it.
class ObjectiveCost final : public Evaluator {
 public:
  explicit ObjectiveCost(const Problem& problem);

  Cost evaluate(const Plan& plan) override;
  std::vector<Blame> blame(const Plan& plan) override;
  std::optional<Timeline> trace(const Plan& plan) override;
  std::unique_ptr<Evaluator> fork() const override;

 private:
  ObjectiveCost(const Problem& problem, std::shared_ptr<const SimulatorTables> tables);
  Cost placement_cost(const Plan& plan);

  const Problem& problem_;
  std::shared_ptr<const SimulatorTables> tables_;
  std::optional<Simulator> simulator_;
  std::optional<PlanLayout> layout_;
  std::optional<CallLatency> calls_;
  DeviceLoads loads_;
};

/// What no plan for a problem can score below in the first term of the objective, given its bounds. Where memory is
/// limited that holds of plans that fit.
double objective_bound(const Problem& problem, const Bounds& bounds);

}  // namespace hone
