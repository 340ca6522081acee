#pragma once

#include "policy/training_request.h"

namespace hone::learn {

/// Trains the network that says which moves improve a plan: supervised, since every move that is offered can be tried.
/// The network for making plans stays what it is in the policy that is started from.
void train_moves(const TrainingRequest& request);

}  // namespace hone::learn
