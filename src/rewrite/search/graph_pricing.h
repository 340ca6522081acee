#pragma once

#include "rewrite/search/space.h"

namespace hone {

/// What whole graphs take, as far as somebody knows: a sum over nodes, a model that was learned, a measurement.
/// Implementations must give equal answers to equal questions, from several threads at once.
class GraphPricing {
 public:
  virtual ~GraphPricing() = default;
  /// Seconds of one run.
  virtual double seconds(const RewriteState& state) const = 0;
};

/// The sum of the prices of nodes, which the state has at hand.
class SummedPricing final : public GraphPricing {
 public:
  double seconds(const RewriteState& state) const override { return state.seconds; }
};

}  // namespace hone
