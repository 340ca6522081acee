#pragma once

#include <optional>
#include <span>
#include <string>

#include "ir/model.h"
#include "ops/datum.h"

namespace hone {

/// Runs both models by the reference interpreter and says how the second differs from the first; nullopt when every
/// element of every output agrees: exactly for integers, up to rounding relative to the largest element for floating
/// types. Where the first cannot be run (a division by zero of integers), the second may do anything; and so it may
/// where an element of the first is infinite or no number.
std::optional<std::string> first_difference(const Model& before, const Model& after, std::span<const Datum> inputs);

}  // namespace hone
