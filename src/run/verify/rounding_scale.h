#pragma once

#include <span>
#include <vector>

#include "graph/ir/tensor.h"

namespace hone {

/// How large the errors of a result are, in units of what rounding does to each of its elements.
struct ErrorLevel {
  double typical = 0;  // root of the mean square
  double largest = 0;
  double absolute = 0;  // the largest error itself
};

/// What rounding does to one real output: how far each element moves when inputs and weights move by a unit in the
/// last place, which says how well it is conditioned, and how far the original's own result is from the exact one.
class RoundingScale {
 public:
  /// `rounded` is the output as the model computes it, `exact` the same with another precision or, where there is none,
  /// without any errors; `squares` are mean squares of how far elements moved, over `runs` runs.
  RoundingScale(const Tensor& rounded, const Tensor& exact, std::span<const double> squares, std::size_t runs);

  /// Errors of a result of the same shape against the exact one. Where the original gives no number, the result has to
  /// be the same, or right.
  ErrorLevel errors_of(const Tensor& result) const;

  /// Those of the original itself.
  const ErrorLevel& own_errors() const { return own_; }

  /// Whether the output has digits that rounding leaves alone; else nothing follows from an error.
  bool says_something() const { return says_something_; }

 private:
  double error_at(std::size_t i, double number) const;

  Tensor rounded_;
  std::vector<double> exact_;
  std::vector<float> scale_;
  ErrorLevel own_;
  bool says_something_ = true;
};

/// Whether a result in double precision is the exact one up to what rounding of its weights explains: a rewritten model
/// computes the same but for constants that were computed, and rounded, anew.
bool is_exact(const ErrorLevel& errors);

/// Whether a result is about as accurate as the original's own.
bool is_as_accurate(const RoundingScale& scale, const ErrorLevel& errors);

}  // namespace hone
