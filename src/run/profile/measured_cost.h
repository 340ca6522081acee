#pragma once

#include "plan/search/evaluator.h"
#include "plan/simulate/simulator.h"
#include "run/profile/measured_groups.h"

namespace hone {

/// Judges plans on one device by measured times of their groups, and by the simulator in all else. Groups are timed as
/// searches come upon them; the same plan costs the same from then on, and in all evaluators that share the groups.
class MeasuredCost final : public Evaluator {
 public:
  explicit MeasuredCost(std::shared_ptr<MeasuredGroups> groups)
      : groups_(std::move(groups)),
        simulator_(std::make_shared<SimulatorTables>(groups_->problem().workload, groups_->problem().machine)) {}

  Cost evaluate(const Plan& plan) override {
    Cost cost = simulator_.evaluate(plan);
    if (cost.feasible()) cost.seconds = groups_->seconds(plan);
    return cost;
  }
  /// Operations by their share of what their group takes.
  std::vector<Blame> blame(const Plan& plan) override;
  std::vector<double> group_seconds(const Plan& plan) override { return groups_->group_seconds(plan); }
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<MeasuredCost>(groups_); }

 private:
  std::shared_ptr<MeasuredGroups> groups_;
  Simulator simulator_;
};

}  // namespace hone
