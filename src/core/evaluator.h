#pragma once

#include <memory>

#include "core/cost.h"
#include "core/plan.h"

namespace hone {

/// Says what a plan costs. One object serves one thread and keeps the memory it works in.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The same plan always costs the same.
  virtual Cost evaluate(const Plan& plan) = 0;
  /// Another one for the same problem, to be used by another thread.
  virtual std::unique_ptr<Evaluator> fork() const = 0;
};

}  // namespace hone
