#pragma once

#include "learn/policy/training_data.h"
#include "learn/policy/training_outcome.h"
#include "learn/policy/training_request.h"

namespace hone::learn {

/// Trains a policy by the trainer that a request names. Writes policy.safetensors, checkpoint.safetensors, progress.csv
/// and TensorBoard's file; goes on from a checkpoint of the same request that is there, and then comes to the same as a
/// run that was never interrupted. Throws InputError when it cannot.
TrainingOutcome train(const TrainingRequest& request, const TrainingData& data);

}  // namespace hone::learn
