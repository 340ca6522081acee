#include "learn/advantage/plan_differences.h"

#include <cmath>

#include "base/distinct.h"
#include "plan/problem/group_kernels.h"

namespace hone {

PlanDifferences::PlanDifferences(const Problem& problem, const Task& task, const Plan& start)
    : problem_(problem), task_(task), kernels_(problem), plan_(start), other_(start) {}

void PlanDifferences::learn(std::span<const float> row, std::span<const double> group_seconds) {
  task_.apply(row, other_);
  kernels_.learn(other_, group_seconds);
}

void PlanDifferences::set(std::span<const float> row) {
  task_.apply(row, plan_);
  now_.clear();
  sum_ = 0;
  for_each_kernel(problem_.workload, plan_, [&](const GroupContents&, GroupId, const KernelView& kernel) {
    const double seconds = kernels_.at(kernel).seconds;
    now_[TimedKernels::place_key(kernel)] = seconds;
    sum_ += seconds;
  });
}

PlanDifferences::Difference PlanDifferences::to(std::span<const float> row) {
  task_.apply(row, other_);
  Difference difference{.seconds = -sum_, .touched = {}};
  double variance = 0;
  for_each_kernel(problem_.workload, other_, [&](const GroupContents&, GroupId, const KernelView& kernel) {
    if (const auto same = now_.find(TimedKernels::place_key(kernel)); same != now_.end()) {
      difference.seconds += same->second;
      return;
    }
    const TimedKernels::Guess guess = kernels_.at(kernel);
    difference.seconds += guess.seconds;
    variance += guess.deviation * guess.deviation;
    for (const OperationId each : kernel.instances) difference.touched.push_back(each.index());
  });
  difference.deviation = std::sqrt(variance);
  difference.touched = distinct(std::move(difference.touched));
  return difference;
}

std::vector<std::vector<OperationId>> PlanDifferences::slower_than_alone() {
  std::vector<std::vector<OperationId>> slower;
  for_each_kernel(problem_.workload, plan_, [&](const GroupContents&, GroupId, const KernelView& kernel) {
    if (kernel.instances.size() == 1) return;
    double alone = 0;
    for (const OperationId& each : kernel.instances)
      alone += kernels_.at({.instances = {&each, 1}, .stored = problem_.workload.outputs(each)}).seconds;
    if (kernels_.at(kernel).seconds > alone) slower.emplace_back(kernel.instances.begin(), kernel.instances.end());
  });
  return slower;
}

}  // namespace hone
