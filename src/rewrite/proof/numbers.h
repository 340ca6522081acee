#pragma once

#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/datum.h"
#include "rewrite/proof/choices.h"

namespace hone {

/// Which numbers to fill tensors with.
struct DrawnNumbers {
  enum class Kind {
    quarters,  // multiples of a quarter from -2 to 2, whose sums and products doubles keep exact
    positive,  // the same above zero: for roots, logarithms and divisors
    whole,     // whole numbers up to `largest`
    special,   // quarters, and among them NaN, infinities and zeros of both signs
    extreme,   // the same and the smallest number there is
    index      // positions along an axis of size `largest`
  };

  Kind kind = Kind::quarters;
  std::int64_t largest = 0;
};

/// A tensor of drawn numbers. Types that hold no fractions or no special values get what is nearest in kind.
Tensor drawn_tensor(const Type& type, Choices& choices, DrawnNumbers numbers);

/// One datum for every input of the model.
std::vector<Datum> drawn_inputs(const Model& model, Choices& choices, DrawnNumbers numbers);

}  // namespace hone
