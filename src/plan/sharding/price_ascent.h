#pragma once

#include <optional>
#include <vector>

#include "plan/sharding/dual_ascent.h"

namespace hone {

/// Looks for the prices of usage over time that make the bound greatest, by subgradient steps of Polyak's length with
/// momentum, each after a sweep of the dual ascent.
class PriceAscent {
 public:
  explicit PriceAscent(const LabelModel& model);

  /// One sweep at the current prices.
  void sweep();
  /// Raises prices where a choice that is good at them uses too much and lowers them where it leaves room. `cost` is
  /// that of the best choice known, infinite when there is none.
  void step(const std::vector<double>& usage, double cost);
  /// Whether further steps are too short to be worth it.
  bool converged() const;
  /// The greatest bound, added up anew.
  double proven_bound() const;

  const LabelModel::Labels& rounded() const { return dual_->rounded(); }
  const std::vector<double>& dues() const { return dual_->dues(); }
  const std::vector<double>& best_prices() const { return best_ ? best_->prices() : dual_->prices(); }

 private:
  const LabelModel& model_;
  std::optional<DualAscent> dual_;
  std::optional<DualAscent> best_;  // as it was when the bound was greatest
  std::vector<double> direction_;
  double last_progress_, length_ = 0.5;
  int sweeps_ = 0, since_progress_ = 0;
};

}  // namespace hone
