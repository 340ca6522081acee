#pragma once

#include <vector>

#include "plan/sharding/label_model.h"

namespace hone {

/// Raises a lower bound on the cost of all choices by moving cost between edges and variables: sequential
/// reparametrisation after Kolmogorov ("A new look at reweighted message passing", 2015). What usage costs is part of
/// the costs of labels, so that the bound holds for the problem with its limit whatever the prices are.
///
/// At every moment cost is the bound so far plus what is left at labels and edges, and nothing left is negative.
class DualAscent {
 public:
  explicit DualAscent(const LabelModel& model);

  /// Usage costs so much from now on, by rank of time.
  void set_prices(const std::vector<double>& price);
  const std::vector<double>& prices() const { return price_; }
  /// What each label pays for usage.
  const std::vector<double>& dues() const { return dues_; }

  /// Goes through all variables once in each direction and makes a choice on the way.
  void sweep();
  const LabelModel::Labels& rounded() const { return rounded_; }
  double bound() const { return bound_ - paid_for_capacity_; }
  /// The bound added up anew from what is left everywhere, slowly: free of what sums gathered in rounding errors.
  double proven_bound() const;

 private:
  enum class Direction { forward, backward };

  bool comes_before(std::uint32_t variable, const LabelModel::HalfEdge& edge, Direction direction) const {
    return (edge.to < variable) == (direction == Direction::forward);
  }
  void pass(Direction direction);
  void absorb(std::uint32_t variable, std::uint32_t id);
  void distribute(std::uint32_t variable, Direction direction);
  void round(std::uint32_t variable, Direction direction);
  double* left_at(std::size_t variable) { return &left_[model_.place(variable)]; }

  const LabelModel& model_;
  std::vector<double> price_, dues_;
  double bound_ = 0, paid_for_capacity_ = 0;
  std::vector<double> left_;              // at labels
  std::vector<std::size_t> moved_begin_;  // by half-edge
  std::vector<double> moved_;             // by half-edge and own label: cost that the edge has given to the variable
  std::vector<double> least_;             // scratch, by label
  Direction rounds_in_ = Direction::forward;
  LabelModel::Labels rounded_;
};

}  // namespace hone
