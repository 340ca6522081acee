#pragma once

#include "policy/training_request.h"

namespace hone::learn {

/// Trains a policy: every step draws plans for some graphs, compares those of one graph with each other and makes what
/// was better likelier. Writes policy.safetensors, checkpoint.safetensors and progress.csv; goes on from a checkpoint
/// that is there, and then comes to the same as a run that was never interrupted.
void train(const TrainingRequest& request);

}  // namespace hone::learn
