#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bench/catalogue/bench_case.h"
#include "bench/regal_contenders.h"

namespace hone {

/// What one search came to.
struct RegalOutcome {
  double value = 0;
  double cpu_seconds = 0;  // of its thread: a busy machine makes a search wait, but costs it little of these
};

/// What was found by setting, contender and seed.
class RegalResults {
 public:
  RegalResults(std::size_t settings, std::size_t seeds);

  std::size_t seeds() const { return seeds_; }
  void set(std::size_t setting, std::size_t contender, std::size_t seed, const RegalOutcome& outcome);
  /// A search beside the table has found a plan of this value.
  void reach(std::size_t setting, double value);

  bool has(std::size_t setting, std::size_t contender, std::size_t seed) const {
    return outcomes_[place(setting, contender, seed)].has_value();
  }
  const RegalOutcome& of(std::size_t setting, std::size_t contender, std::size_t seed) const;
  /// The least that any search has found.
  double best_known(std::size_t setting) const { return best_known_[setting]; }
  /// Percent by which a contender is below the genetic algorithm with the same seed.
  double improvement(std::size_t setting, std::size_t contender, std::size_t seed) const;

 private:
  std::size_t place(std::size_t setting, std::size_t contender, std::size_t seed) const;

  std::size_t seeds_;
  std::vector<std::optional<RegalOutcome>> outcomes_;
  std::vector<double> best_known_;
};

/// A row for every contender on every setting, and the figures that the policy is judged by, each with its spread over
/// seeds.
BenchReport regal_report(std::span<const RegalSetting> settings, const RegalResults& results);

}  // namespace hone
