#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "deliver/proposal.h"
#include "run/runtime/runtime.h"

namespace hone {

/// What making plans for proposals needs.
struct PlanMoveRequest {
  std::shared_ptr<const Runtime> runtime;          // that obeys plans
  std::function<Model(const Model&)> made_static;  // gives a copy of a model with static types
  std::vector<std::string> input_files;            // see given_inputs
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  /// How long a search may take that times every group it comes upon; empty where there is to be none.
  std::function<double()> measuring_seconds = {};
};

/// Ways to decide which operators of a model share a kernel, and in which order they run: by rules and by search, with
/// the times of groups that were measured on the runtime in place of estimates, a few of them before the search or, by
/// advantages, all that it comes upon. None for a runtime that obeys no plans. A plan holds for the model of the
/// proposal it was made from alone.
std::vector<Move> plan_moves(const PlanMoveRequest& request);

}  // namespace hone
