#pragma once

#include <optional>
#include <vector>

#include "graph/ops/datum.h"
#include "run/verify/rounding_scale.h"

namespace hone {

/// How the outputs of a model move when its inputs and weights move by a unit in the last place.
class Movement {
 public:
  /// `exact` are the outputs where nothing is moved, in the best precision there is.
  explicit Movement(std::vector<Datum> exact);

  /// Counts one run with inputs and weights moved.
  void add(const std::vector<Datum>& moved);

  /// What rounding does to an output that the original computes as `rounded`. Nothing where no run says it: for outputs
  /// that are not float or half, that changed their shape, or whose digits are all noise.
  std::optional<RoundingScale> scale(std::size_t output, const Datum& rounded) const;

  /// Whether each element of an output of integers or truth values is what `expected` has there or what one of the runs
  /// gave, as an index of the largest of two that are nearly equal may be.
  bool has_seen(std::size_t output, const Tensor& result, const Tensor& expected) const;

 private:
  struct Output {
    Datum exact;
    std::vector<double> squares;  // sums over runs, by element
    std::vector<Tensor> seen;     // results of all runs, for integers and truth values
    bool comparable = true;       // every run gave the same type and shape
  };
  std::vector<Output> outputs_;
  std::size_t runs_ = 0;
};

}  // namespace hone
