#include "plan/simulate/objective_cost.h"

#include <algorithm>
#include <cmath>

#include "plan/simulate/blame.h"
#include "plan/simulate/load_bound.h"

namespace hone {

ObjectiveCost::ObjectiveCost(const Problem& problem)
    : ObjectiveCost(problem, std::make_shared<SimulatorTables>(problem.workload, problem.machine)) {}

ObjectiveCost::ObjectiveCost(const Problem& problem, std::shared_ptr<const SimulatorTables> tables)
    : problem_(problem), tables_(std::move(tables)), loads_(*tables_) {
  const Objective& objective = problem.objective;
  const bool places = objective.asks_for(Measure::throughput) || objective.asks_for(Measure::latency);
  if (places) layout_.emplace(*tables_);
  if (objective.asks_for(Measure::latency)) calls_.emplace(*tables_);
  const bool plays =
      objective.asks_for(Measure::fit) || objective.asks_for(Measure::seconds) || objective.asks_for(Measure::memory);
  if (plays) simulator_.emplace(tables_);
}

std::unique_ptr<Evaluator> ObjectiveCost::fork() const {
  return std::unique_ptr<Evaluator>(new ObjectiveCost(problem_, tables_));
}

std::vector<Blame> ObjectiveCost::blame(const Plan& plan) {
  if (!simulator_) return {};
  return blame_for(problem_, plan, simulator_->trace(plan));
}

std::optional<Timeline> ObjectiveCost::trace(const Plan& plan) {
  return simulator_ ? simulator_->trace(plan) : Simulator(tables_).trace(plan);
}

Cost ObjectiveCost::evaluate(const Plan& plan) {
  if (!layout_) return simulator_->evaluate(plan);
  const Cost placed = placement_cost(plan);
  if (!simulator_ || placed.obstacle == Obstacle::device) return placed;
  Cost cost = simulator_->evaluate(plan);
  cost.load_seconds = placed.load_seconds;
  cost.latency_seconds = placed.latency_seconds;
  if (placed.overflow_bytes > cost.overflow_bytes) {
    cost.overflow_bytes = placed.overflow_bytes;
    if (cost.obstacle == Obstacle::none) cost.obstacle = Obstacle::memory;
  }
  return cost;
}

/// What follows from where operations run, whatever their order.
Cost ObjectiveCost::placement_cost(const Plan& plan) {
  Cost cost;
  if (!layout_->lay_out(plan)) {
    cost.obstacle = Obstacle::device;
    cost.seconds = std::numeric_limits<double>::infinity();
    return cost;
  }
  loads_.measure(*layout_);
  for (std::size_t i = 0; i < loads_.bytes().size(); ++i) {
    const double capacity = problem_.machine.kind(DeviceId(i)).memory_bytes;
    cost.peak_bytes = std::max(cost.peak_bytes, loads_.bytes()[i]);
    cost.overflow_bytes += std::max(0.0, loads_.bytes()[i] - capacity);
  }
  if (cost.overflow_bytes > 0) cost.obstacle = Obstacle::memory;
  cost.load_seconds = std::ranges::max(loads_.seconds());
  if (calls_) cost.latency_seconds = calls_->measure(*layout_);
  cost.seconds = calls_ ? cost.latency_seconds : cost.load_seconds;
  if (std::isinf(cost.latency_seconds)) cost.obstacle = Obstacle::cycle;
  return cost;
}

double objective_bound(const Problem& problem, const Bounds& bounds) {
  Cost least{.seconds = bounds.seconds(), .peak_bytes = bounds.peak_bytes()};
  // Where operations may be fused, only the work itself is certain; the largest load is no less than the average.
  if (bounds.fusion == Fusion::allowed) least.load_seconds = bounds.total_work_seconds;
  else if (problem.objective.asks_for(Measure::throughput)) least.load_seconds = load_bound(problem);
  // Operations on a path run one after another, in one call or in several; what is moved takes no less than 0.
  least.latency_seconds = bounds.critical_path_seconds;
  return score(problem.objective, least).value;
}

}  // namespace hone
