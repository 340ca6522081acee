#pragma once

#include "learn/train/go_torch.h"

namespace hone::learn {

/// Logarithms of the chances of what was decided in a pass: by operation for each task, and of the pass as a whole.
struct GoChances {
  torch::Tensor place, schedule, fuse;  // not defined for tasks that were not decided
  torch::Tensor pass;                   // of the way to make a schedule
  torch::Tensor pulls;

  GoChances detached() const;
};

/// How PPO goes about it.
struct GoLossSettings {
  double clip = 0.2;
  double entropy = 0;  // what keeping choices open is worth
};

/// What a pass was worth, and how likely it was when it was drawn.
struct GoExperience {
  const GoStep* step = nullptr;
  double advantage = 0;
  GoChances before;  // as drawn; what the network says now where it is not known
};

struct GoLoss {
  torch::Tensor total;
  GoChances chances;
  double entropy = 0;  // of a decision about an operation, in nats
};

/// The clipped objective of PPO (Schulman et al., 2017), decision by decision: a ratio of a whole plan would be a
/// product over thousands of operations and never stay within any clip.
GoLoss go_loss(const GoTorch::Scores& scores, const GoExperience& experience, const GoLossSettings& settings);

/// By step of some chains for one graph, the same number for each: how much more its plan and those after it improved
/// on the plan before than in other chains; standardised by pass.
std::vector<std::vector<double>> go_advantages(const std::vector<std::vector<GoStep>>& chains);

}  // namespace hone::learn
