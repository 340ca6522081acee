#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "run/verify/movement.h"

namespace hone {

/// What rounding does to the results of a model, by input tried.
struct RoundingStudy {
  std::vector<Movement> movements;  // none where it is not known
  std::string obstacle;             // why it is not; empty where it is
  double exact_seconds = 0;         // that the runs with nothing moved took
};

/// Runs a model with static types on the reference interpreter in double precision, as it is and several times with
/// its inputs and weights moved by a unit in the last place. A model for which that would take too long is left alone.
RoundingStudy study_rounding(const Model& model, std::span<const std::vector<Datum>> inputs, std::uint64_t seed);

}  // namespace hone
