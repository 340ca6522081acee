#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/session/plan_session.h"

namespace hone {

/// What one optimiser comes to over several seeds.
struct Trial {
  std::string optimizer;
  std::vector<Score> scores;  // ascending
  std::vector<SearchEnd> ends;
  double seconds = 0;  // all together
  double bound = 0;    // the best it has proved
};

/// Several optimisers, `A,B,C`, at the budget of a session, each with so many seeds; those that Ctrl-C left without a
/// result are missing. Throws InputError (usage) for an unknown name or parameter before any of them runs.
std::vector<Trial> compare_optimizers(const PlanSession& session, std::string_view optimizers, std::uint64_t seeds);

}  // namespace hone
