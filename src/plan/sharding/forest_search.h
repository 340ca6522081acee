#pragma once

#include <limits>
#include <vector>

#include "base/random.h"
#include "plan/sharding/label_model.h"

namespace hone {

/// A choice that is improved by large moves: variables that form an induced forest get their best labels given all
/// others, by dynamic programming. What is minimised is cost plus `dues`, what labels pay for usage.
class ForestSearch {
 public:
  ForestSearch(const LabelModel& model, Rng rng);

  void set_labels(const LabelModel::Labels& label_of);
  void set_dues(std::vector<double> dues) { dues_ = std::move(dues); }
  const LabelModel::Labels& labels() const { return label_of_; }
  double cost() const { return cost_; }
  const std::vector<double>& usage() const { return usage_; }
  /// Sum over time of what is used beyond the capacity.
  double excess() const;
  /// Cells of tables looked at so far: time as the work counts it, the same on every machine.
  std::uint64_t work() const { return work_; }
  Rng& rng() { return rng_; }

  /// One move over a forest in the whole graph that minds no limit.
  void improve_everywhere();
  /// Makes usage dearer where it is too much and moves everywhere until it is not, starting at `price` by rank of time.
  /// Gives up after a while.
  void force_within_limit(std::vector<double> price);
  /// One move over a forest of at most `size` variables around some place. It makes no excess greater: what would is
  /// tried again with usage dearer where it is short.
  void improve_somewhere(std::size_t size);
  /// The same around a place a few steps from `variable`.
  void improve_near(std::uint32_t variable, std::size_t size);

 private:
  static constexpr std::uint32_t kRoot = std::numeric_limits<std::uint32_t>::max();

  void begin_forest();
  void add(std::uint32_t variable, std::uint32_t edge_to_parent);
  void grow(std::size_t size);
  bool is_in_forest(std::uint32_t variable) const { return joined_[variable] == round_; }
  bool touches_forest(std::uint32_t variable) const { return seen_[variable] == round_ && touching_[variable] > 0; }

  void try_forest();
  double solve(const std::vector<double>& dues);
  void gather_costs(const std::vector<double>& dues);
  void pass_up();
  void pick_down();
  bool is_change() const;
  void find_usage_change();
  void forget_usage_change();
  double new_excess() const;
  double cost_change() const;
  double dues_change() const;
  void accept();
  bool retry(double gain);
  void raise_prices(double rate);
  const std::vector<double>& raised_dues();

  const LabelModel& model_;
  Rng rng_;
  LabelModel::Labels label_of_;
  std::vector<double> usage_, dues_;
  double cost_ = 0;
  std::uint64_t work_ = 0;

  // The forest: parents before children.
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> order_, frontier_;
  std::vector<std::uint32_t> joined_, seen_, touching_;  // by variable; touching_ is meant where seen_ is this round
  std::vector<std::uint32_t> slot_, parent_edge_;        // by variable of the forest
  std::vector<std::uint32_t> permutation_;

  // The move: by slot, and by slot and label.
  std::vector<std::uint32_t> proposed_;
  std::vector<std::size_t> best_begin_;
  std::vector<double> best_, message_;
  double value_now_ = 0;

  // What the move does to usage, in [change_begin_, change_end_).
  std::vector<double> change_, extra_price_, price_before_, extra_dues_;
  std::size_t change_begin_ = 0, change_end_ = 0;
};

}  // namespace hone
