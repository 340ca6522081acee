#include "deliver/operator_effort.h"

namespace hone {

OperatorEffort operator_effort(DeliveryEffort effort) {
  if (effort == DeliveryEffort::thorough)
    return {.methods = {"greedy", "taso:alpha=1.05,budget=1000", "beam:width=8", "mcts:rounds=60", "saturate"},
            .method_seconds = 20,
            .timing = {.least_rounds = 7, .most_rounds = 30, .seconds = 15}};
  OperatorEffort chosen{.methods = {"greedy", "taso:alpha=1.05,budget=100"},
                        .method_seconds = 5,
                        .timing = {.least_rounds = 3, .most_rounds = 15, .seconds = 4}};
  if (effort == DeliveryEffort::measured) chosen.methods.emplace_back("saturate");
  return chosen;
}

}  // namespace hone
