#pragma once

#include <vector>

#include "base/random.h"
#include "graph/ir/model.h"
#include "graph/ops/datum.h"

namespace hone::native {

/// A model of random operators that a group may hold, with inputs for it: pointwise work and broadcasts, reductions,
/// normalisations, movement, joints and products, on odd shapes, some of them without elements.
struct RandomGroup {
  Model model;
  std::vector<Datum> inputs;
};
/// Values have about so many elements at most.
RandomGroup random_group(Rng& rng, std::int64_t most_elements = 6000);

}  // namespace hone::native
