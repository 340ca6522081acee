#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "graph/ir/model.h"
#include "graph/ops/datum.h"

namespace hone {

/// The tensor with each real number moved by -1, 0 or 1 units in its last place. Numbers of few digits (0, 1, 0.5, -2)
/// are meant as they stand and stay, as do all that are not real.
Tensor moved_by_a_unit(const Tensor& tensor, Rng rng);

/// Data moved likewise.
std::vector<Datum> moved_by_a_unit(std::span<const Datum> data, const Rng& rng);

/// The model with all its weights moved likewise, those of bodies and functions too.
Model with_weights_moved(const Model& model, const Rng& rng);

}  // namespace hone
