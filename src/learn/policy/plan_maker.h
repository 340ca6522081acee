#pragma once

#include <memory>

#include "base/random.h"
#include "learn/policy/graph_view.h"

namespace hone {

struct Constructed;
struct Incumbent;
struct LogitWeights;
struct Trace;

/// Makes plans for one graph by the logits of a policy.
class PlanMaker {
 public:
  virtual ~PlanMaker() = default;

  /// A plan drawn with a chance that grows exponentially with the logits of its decisions, valid until the next call;
  /// `temperature` of 0 always takes the highest logit. A trainer wants a trace of all decisions.
  virtual const Constructed& build(const LogitWeights& weights, const Incumbent& incumbent, double temperature,
                                   Rng& rng, Trace* trace = nullptr) = 0;
};

}  // namespace hone
