#include "learn/advantage/timed_kernels.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "plan/problem/group_kernels.h"
#include "plan/problem/kernel_key.h"

namespace hone {
namespace {

/// How far guesses may be off, as shares of what they say: of the same kernel between other neighbours, of the same
/// operators in other sizes, of anything else.
constexpr double kAlikeDeviation = 0.03, kKnownOperatorsDeviation = 0.15, kUnknownDeviation = 0.4;
constexpr double kWiderCount = 0.5;  // observations that what is thought of a wider class stands for
constexpr std::size_t kManyOperations = 4;
constexpr double kLeastSeconds = 1e-9;

}  // namespace

TimedKernels::TimedKernels(const Problem& problem)
    : problem_(problem),
      timer_(problem.workload, problem.machine),
      timed_alone_(problem.workload.operation_count(), 0) {
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    const OperationId operation(i);
    const KernelView alone{.instances = {&operation, 1}, .stored = problem.workload.outputs(operation)};
    estimated_alone_.push_back(std::max(kLeastSeconds, timer_.seconds(alone, problem.machine.devices.front().kind)));
  }
}

std::uint64_t TimedKernels::place_key(const KernelView& kernel) {
  std::uint64_t key = kernel.instances.size();
  for (const OperationId each : kernel.instances) key = mix(key, each.index());
  for (const BufferId buffer : kernel.stored) key = mix(key, buffer.index());
  return key;
}

double TimedKernels::Errors::mean(double wider) const { return (sum + kWiderCount * wider) / (count + kWiderCount); }

/// By the model of kernels, times what that is off for these operations by themselves.
double TimedKernels::expected(const KernelView& kernel) {
  double estimated = 0, timed = 0;
  for (const OperationId each : kernel.instances) {
    if (timed_alone_[each.index()] == 0) continue;
    estimated += estimated_alone_[each.index()];
    timed += timed_alone_[each.index()];
  }
  const double seconds = timer_.seconds(kernel, problem_.machine.devices.front().kind);
  return std::max(kLeastSeconds, estimated > 0 ? seconds * timed / estimated : seconds);
}

TimedKernels::Classes TimedKernels::classes_of(const KernelView& kernel) const {
  Classes classes{.operators = kernel.stored.size(), .loops = std::min(kernel.instances.size(), kManyOperations)};
  std::uint64_t kinds = 0;
  for (const OperationId each : kernel.instances) {
    const Operation& operation = problem_.workload.operation(each);
    classes.operators = hash_text(operation.op, classes.operators);
    kinds |= std::uint64_t{1} << static_cast<std::uint64_t>(operation.loop.kind);
  }
  classes.loops = mix(classes.loops, kinds);
  return classes;
}

TimedKernels::Guess TimedKernels::at(const KernelView& kernel) {
  if (const auto found = timed_.find(place_key(kernel)); found != timed_.end()) return {.seconds = found->second};
  if (const auto alike = alike_.seconds(kernel_key(problem_.workload, kernel)))
    return {.seconds = *alike, .deviation = kAlikeDeviation * *alike};
  const Classes classes = classes_of(kernel);
  double error = all_.mean(0), deviation = kUnknownDeviation;
  if (const auto found = by_loops_.find(classes.loops); found != by_loops_.end()) error = found->second.mean(error);
  if (const auto found = by_operators_.find(classes.operators); found != by_operators_.end()) {
    error = found->second.mean(error);
    deviation = kKnownOperatorsDeviation;
  }
  const double seconds = expected(kernel) * std::exp(error);
  return {.seconds = seconds, .deviation = deviation * seconds};
}

void TimedKernels::learn(const Plan& plan, std::span<const double> seconds) {
  for_each_kernel(problem_.workload, plan, [&](const GroupContents&, GroupId group, const KernelView& kernel) {
    learn_one(kernel, seconds[group.index()]);
  });
}

void TimedKernels::learn_one(const KernelView& kernel, double seconds) {
  if (!timed_.try_emplace(place_key(kernel), seconds).second) return;
  alike_.add(kernel_key(problem_.workload, kernel), seconds);
  if (kernel.instances.size() == 1) {
    timed_alone_[kernel.instances.front().index()] = seconds;
    return;
  }
  const double error = std::log(std::max(kLeastSeconds, seconds) / expected(kernel));
  const Classes classes = classes_of(kernel);
  for (Errors* errors : {&all_, &by_loops_[classes.loops], &by_operators_[classes.operators]}) {
    errors->sum += error;
    ++errors->count;
  }
}

}  // namespace hone
