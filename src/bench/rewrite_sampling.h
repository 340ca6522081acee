#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rewrite/worth/timed_rewrites.h"
#include "run/profile/model_profile.h"
#include "store/database/store.h"

namespace hone {

/// How rewrites of a model are drawn and measured.
struct SamplingEffort {
  std::size_t rewrites = 40;
  double seconds = 0.3;  // of timed runs of a graph, in each of two measurements
  ProfileEffort operators = {.least_rounds = 5, .most_rounds = 15, .seconds = 4};
  std::uint64_t seed = 0;
};

/// Draws rewrites of a model, prices their parts by the roofline and by what operators take alone, and measures each
/// twice on a runtime, side by side with the original. Timings of operators come from and go to the store, if there is
/// one. What does not run is left out.
TimedRewrites sample_rewrites(const std::string& name, const Model& model, std::shared_ptr<const Runtime> runtime,
                              const SamplingEffort& effort, Store* store);

}  // namespace hone
