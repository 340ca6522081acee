#pragma once

#include <vector>

#include "learn/policy/training_request.h"
#include "plan/problem/workload.h"

namespace hone::learn {

/// Trains a policy on some graphs: every step draws plans for some of them, compares those of one graph with each other
/// and makes what was better likelier. Writes policy.safetensors, checkpoint.safetensors, progress.csv and
/// TensorBoard's file; goes on from a checkpoint of the same request that is there, and then comes to the same as a run
/// that was never interrupted. Throws InputError when it cannot.
void train(const TrainingRequest& request, std::vector<Workload> graphs);

}  // namespace hone::learn
