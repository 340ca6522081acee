#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "learn/advantage/timed_kernels.h"
#include "plan/search/task.h"

namespace hone {

/// What other decisions than those at hand would change of the kernels of a plan, and what that would take more, before
/// anybody evaluates them.
class PlanDifferences {
 public:
  /// All must outlive it.
  PlanDifferences(const Problem& problem, const Task& task, const Plan& start);

  /// Takes note of what the groups took that decisions lead to.
  void learn(std::span<const float> row, std::span<const double> group_seconds);
  /// From now on it speaks about differences to these decisions.
  void set(std::span<const float> row);

  struct Difference {
    double seconds = 0;                  // more than now
    double deviation = 0;                // seconds that this may be off; 0: all kernels were timed
    std::vector<std::uint32_t> touched;  // operations of kernels that would be others, ascending; none: nothing changes
  };
  Difference to(std::span<const float> row);

  /// Kernels at hand that take longer than their operations by themselves, as the operations of each.
  std::vector<std::vector<OperationId>> slower_than_alone();

 private:
  const Problem& problem_;
  const Task& task_;
  TimedKernels kernels_;
  Plan plan_, other_;
  std::unordered_map<std::uint64_t, double> now_;  // seconds by place of kernels at hand
  double sum_ = 0;
};

}  // namespace hone
