#pragma once

#include <limits>

#include "run/profile/correction.h"

namespace hone {

/// What profiling one model found.
struct ModelProfile {
  ProfileContext context;
  GraphProfile graph;
  ProfileTable table;
  double measured_seconds = 0;  // of the model as a whole
  std::size_t rounds = 0;
};

/// How thoroughly to profile.
struct ProfileEffort {
  std::size_t least_rounds = 15, most_rounds = 60;
  double seconds = 3;                                           // at least, of rounds
  double uncertainty = 0.01;                                    // of the sum of all nodes, above which rounds go on
  double wall_limit = std::numeric_limits<double>::infinity();  // seconds in all; what takes longer is given up
};

/// What to profile with: the conditions, and what need not be timed again.
struct ProfileRequest {
  std::shared_ptr<const Runtime> runtime = usual_runtime();
  std::size_t threads = 1;
  ProfileEffort effort;
  ProfileTable known;  // timings under these conditions
};

/// The conditions of a profile made here and now.
ProfileContext context_of(const ProfileRequest& request);

/// Times a model and those of its nodes that are not known on a runtime in turn, so that whatever else the machine
/// does hits both alike. Runs in a child process. `file` is what the runtime reads; the types of `model` must be
/// static.
ModelProfile profile_model(const Model& model, const std::filesystem::path& file, const ProfileRequest& request);

/// Times those nodes of a graph that are not known, each as it would run inside a graph; they need not hang together.
/// Runs in a child process. Returns the timings of all that could be timed, the known ones too.
ProfileTable time_nodes(const ObservedGraph& graph, const ProfileRequest& request);

}  // namespace hone
