#pragma once

#include "learn/policy/policy_kind.h"
#include "learn/train/checkpoint.h"
#include "learn/train/trainer.h"
#include "plan/problem/objective.h"

namespace hone::learn {

/// What learning starts from: the policy that the request names, else networks that are drawn and begin with the rule
/// of their kind. `as_kind` throws for a kind that the trainer cannot train.
template <class Kind>
Safetensors first_policy(const TrainingRequest& request, const Kind& (*as_kind)(const PolicyKind&)) {
  if (!request.start.empty()) return usable_policy(request.start);
  const Kind& kind = as_kind(PolicyKind::named(request.head));
  Safetensors contents = kind.draw_networks(
      {.width = request.width, .rounds = request.rounds, .encoder = &EncoderKind::named(request.encoder)},
      request.seed + 1);
  kind.set_first_rule(contents, parse_objective(request.objective));
  return contents;
}

/// What `TrainerKind` makes trainers of a class by.
template <class Made>
std::unique_ptr<Trainer> make_trainer(const TrainingRequest& request, const TrainingData& data) {
  return std::make_unique<Made>(request, data);
}

}  // namespace hone::learn
