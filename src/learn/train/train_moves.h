#pragma once

#include "learn/train/training_graph.h"
#include "learn/train/training_run.h"

namespace hone::learn {

/// Trains the network that says which moves improve a plan: supervised, since every move that is offered can be tried.
/// The network for making plans stays what it is in the policy that is started from.
void train_moves(const TrainingRequest& request, TrainingRun& run, std::vector<std::unique_ptr<TrainingGraph>> graphs);

}  // namespace hone::learn
