#pragma once

#include "zoo/builder.h"

namespace hone::zoo {

/// The rule that turns gradients into new weights.
enum class Optimizer { sgd, adam };

/// How a training graph changes its weights.
struct TrainingStep {
  Optimizer optimizer = Optimizer::sgd;
  double learning_rate = 0.001;
};

/// Turns a forward graph with a loss into one step of training: adds the backward pass and the optimiser. Outputs
/// become the loss and then the new value of every weight (and of the optimiser's state); weights and state become
/// inputs with their present contents as default, so that the outputs of one step can be fed to the next.
void add_training_step(Builder& builder, const TrainingStep& step);

}  // namespace hone::zoo
