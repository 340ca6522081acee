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
RandomGroup random_group(Rng& rng);

}  // namespace hone::native
