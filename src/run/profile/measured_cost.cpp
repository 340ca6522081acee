#include "run/profile/measured_cost.h"

namespace hone {

std::vector<Blame> MeasuredCost::blame(const Plan& plan) {
  const std::vector<double> seconds = groups_->group_seconds(plan);
  const GroupContents contents(groups_->problem().workload, plan);
  std::vector<Blame> blames;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto instances = contents.instances(GroupId(i));
    for (const OperationId operation : instances)
      if (plan.group(operation) == GroupId(i))
        blames.push_back({.operation = operation, .share = seconds[i] / static_cast<double>(instances.size())});
  }
  return blames;
}

}  // namespace hone
