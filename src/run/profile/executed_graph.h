#pragma once

#include <span>
#include <string>
#include <vector>

#include "run/profile/model_profile.h"

namespace hone {

/// Kernels of one operator in a graph as a runtime executes it, each as long as it takes where it was timed.
struct ExecutedKernels {
  std::string op;  // as the runtime calls it; of kernels of several operators the one that counts most
  OperationClass operation_class = OperationClass::opaque;
  std::size_t count = 0;
  double seconds = 0;
  double activation_bytes = 0, weight_bytes = 0;  // read and written
};

/// What a runtime executes for a model, after all of its own optimisers.
struct ExecutedGraph {
  std::vector<ExecutedKernels> kernels;  // none where the runtime does not take the model
  std::size_t untimed = 0;               // kernels that cannot be run alone
  double frame_seconds = 0;              // of a run besides its kernels

  /// Those of an operator, empty ones where there were none.
  ExecutedKernels& kernels_of(const std::string& op, OperationClass operation_class);
};

struct ExecutedGraphs {
  std::vector<ExecutedGraph> graphs;  // by model
  ProfileTable timings;               // of all kernels, also the known ones
};

/// What a runtime makes of several models, without timing any of them: each is given to the runtime, which says what it
/// would execute, and kernels that are not known are timed by themselves, all in the same rounds, so that whatever else
/// the machine does hits them alike. Runs in a child process. Types must be static.
ExecutedGraphs executed_graphs(std::span<const ModelToRun> models, const ProfileRequest& request);

/// The same on a runtime that obeys plans, whose kernels are groups of operators: a model with groups that were never
/// met is run a few times for them, a model of known groups not once. How slow the machine is at the time is told by
/// the known groups beside them and taken out.
ExecutedGraphs executed_groups(std::span<const ModelToRun> models, const ProfileRequest& request);

}  // namespace hone
