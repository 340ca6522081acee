#pragma once

#include "learn/policy/moves.h"
#include "plan/search/task.h"

namespace hone {

/// What a policy says to one search over decisions: plans to try, and which moves improve one.
class PlanGuide {
 public:
  virtual ~PlanGuide() = default;

  /// Decisions for the task of the search, valid until the next call; drawn with a temperature from `temperature` to
  /// `spread` times that, each order of magnitude as likely as the next, so that not all plans follow where the policy
  /// is certain. A temperature of 0 takes what is likeliest.
  virtual const Decisions& draw(double temperature, double spread) = 0;
  /// Weights of logits for moves; the same for all moves where the policy says nothing about them.
  virtual MoveWeights move_weights() const { return {std::vector<float>(kMoveFeatures)}; }
};

}  // namespace hone
