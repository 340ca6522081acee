#pragma once

#include <unordered_set>
#include <vector>

#include "learn/advantage/advantage_features.h"
#include "learn/advantage/plan_differences.h"
#include "learn/advantage/unguided_walk.h"

namespace hone {

/// The search where an evaluation tells what every kernel takes, and not their sum alone: changes whose kernels do not
/// meet are tried many at a time, each is judged by its own kernels, and those that helped are made together. What
/// kernels take that were never timed is guessed from those that were (TimedKernels). Nothing is kept that is worse.
class TimedWalk : private UnguidedWalk {
 public:
  TimedWalk(Search& search, const DecisionUnits& units, const AdvantageParameters& parameters);

  /// Whether evaluations tell times of kernels, and what is looked for is the least sum of them.
  static bool is_possible(Search& search);

  void run();

 private:
  /// Changes that are made together or not at all.
  struct Trial {
    std::vector<DecisionChange> changes;
    PlanDifferences::Difference difference;

    /// What it takes more if all goes well.
    double hope() const { return difference.seconds - difference.deviation; }
  };
  /// Where else to look for changes, after some were made.
  using Scope = std::vector<std::uint32_t>;

  bool look(const Decisions& row);
  bool settle();
  bool explore();
  Decisions descended(Decisions row, Scope scope, std::vector<Trial> first = {});
  std::vector<Trial> hopeful_singles();
  std::vector<Trial> hopeful_kicks();
  Trial kick();
  std::vector<Trial> single_trials(const Decisions& row, std::span<const std::uint32_t> scope);
  std::vector<Trial> undone_kernels(const Decisions& row);
  void judge(Trial& trial, const Decisions& row);
  void make(const Trial& trial, Decisions& row) const;
  std::vector<Trial> apart(std::vector<Trial> trials) const;
  Scope all_units() const;
  Scope units_about(std::span<const Trial> trials) const;
  bool was_evaluated(const Decisions& row) const;

  PlanDifferences differences_;
  std::vector<Trial> tried_;                     // by the evaluation before
  std::unordered_set<std::uint64_t> evaluated_;  // decisions
};

}  // namespace hone
