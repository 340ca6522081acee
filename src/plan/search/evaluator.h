#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "plan/problem/cost.h"
#include "plan/problem/plan.h"
#include "plan/problem/timeline.h"

namespace hone {

/// An operation and its part in what a plan costs: its seconds on the chain that decides when all is done, or bytes
/// that are held because of it when most is held.
struct Blame {
  OperationId operation;
  double share = 0;
};

/// Says what a plan costs. One object serves one thread and keeps the memory it works in.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The same plan always costs the same.
  virtual Cost evaluate(const Plan& plan) = 0;
  /// Who makes a plan cost what it costs: where it pays to change something. Empty when the evaluator cannot tell.
  virtual std::vector<Blame> blame(const Plan&) { return {}; }
  /// What the groups of a plan that was evaluated take, by group; empty when the evaluator does not time them one by one.
  virtual std::vector<double> group_seconds(const Plan&) { return {}; }
  /// What happens when a plan is carried out; nothing when the evaluator cannot tell.
  virtual std::optional<Timeline> trace(const Plan&) { return std::nullopt; }
  /// Another one for the same problem, to be used by another thread.
  virtual std::unique_ptr<Evaluator> fork() const = 0;
};

}  // namespace hone
