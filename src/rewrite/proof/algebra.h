#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rewrite/rules/rule.h"

namespace hone {

/// What kind of functions the two sides of a rule are, which decides what running them on numbers shows.
struct Algebra {
  enum class Kind {
    copies,      // every element of a result is an element of an input or a constant: distinct elements show it all
    polynomial,  // polynomials in the elements of the inputs: random numbers tell different ones apart
    numeric      // anything else: agreement on the numbers tried
  };

  Kind kind = Kind::numeric;
  std::size_t degree = 0;  // of polynomials
  bool fractions = false;  // means: coefficients are not whole

  /// The largest whole number to draw, such that doubles compute both sides exactly (or, with fractions, to far less
  /// than the least difference there can be). 0 for numeric rules.
  std::int64_t largest() const;
  /// How far results on such numbers may lie apart: less than polynomials that differ can.
  double allowed() const { return fractions ? 1e-4 : 0.1; }
  /// Schwartz and Zippel: two different polynomials agree on random whole numbers with a probability of at most this.
  double error() const;
};

Algebra algebra_of(const Rule& rule);

std::string_view name_of(Algebra::Kind kind);

}  // namespace hone
