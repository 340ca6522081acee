#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rewrite/discover/formula.h"

namespace hone {

/// A size along an axis as the sizes it was joined from: input and axis of each. `dim(a, 0) + dim(b, 0)` has two.
using Pieces = std::vector<std::pair<std::uint32_t, std::size_t>>;

/// Sizes of what an operator makes, by axis, from those of its operands.
std::vector<Pieces> pieces_of(const MenuOperator& entry, std::uint32_t part,
                              const std::vector<std::vector<Pieces>>& operands);

/// Sizes of what a formula makes.
std::vector<Pieces> pieces_of(const World& world, const Formula& formula);

}  // namespace hone
