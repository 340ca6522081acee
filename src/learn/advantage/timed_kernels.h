#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plan/machine/kernel_times.h"
#include "plan/problem/group_time.h"
#include "plan/problem/plan.h"
#include "plan/problem/problem.h"

namespace hone {

/// What kernels take where plans are evaluated by timing: those of plans that were, as they were timed; others by the
/// model of kernels, corrected by how far it was off for operations by themselves and for kernels alike.
class TimedKernels {
 public:
  /// The problem must outlive it.
  explicit TimedKernels(const Problem& problem);

  struct Guess {
    double seconds = 0;
    double deviation = 0;  // seconds that it may be off; 0: timed
  };
  Guess at(const KernelView& kernel);

  /// Takes note of what the groups of a plan took.
  void learn(const Plan& plan, std::span<const double> seconds);

  /// A number for these operations where these of their results are stored.
  static std::uint64_t place_key(const KernelView& kernel);

 private:
  /// Logarithms of what was timed over what was expected, of kernels alike.
  struct Errors {
    double sum = 0, count = 0;
    /// Their mean, as long as they are few drawn to what is thought of a wider class.
    double mean(double wider) const;
  };
  /// What a kernel has in common with others, from narrow to wide.
  struct Classes {
    std::uint64_t operators = 0, loops = 0;
  };

  void learn_one(const KernelView& kernel, double seconds);
  double expected(const KernelView& kernel);
  Classes classes_of(const KernelView& kernel) const;

  const Problem& problem_;
  GroupTimer timer_;
  std::unordered_map<std::uint64_t, double> timed_;  // by place
  KernelTimes alike_;                                // by what kernels compute, wherever
  std::unordered_map<std::uint64_t, Errors> by_operators_, by_loops_;
  Errors all_;
  std::vector<double> estimated_alone_, timed_alone_;  // by operation; timed: 0 where it never was
};

}  // namespace hone
