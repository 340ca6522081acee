#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "rewrite/search/graph_pricing.h"
#include "rewrite/worth/time_parts.h"

namespace hone {

/// A graph that rewriting made of a model, and what it was measured to take.
struct MeasuredRewrite {
  TimeParts parts;
  double seconds = 0;
};

/// A model of which some rewrites were measured.
struct MeasuredRewrites {
  std::string name;
  MeasuredRewrite start;
  std::vector<MeasuredRewrite> rewrites;
};

/// What graphs take on one runtime: every part of their time times a weight that is not below zero.
///
/// Weights are fitted by ridge regression to models of which rewrites were measured. All models count alike, whatever
/// their size and number of rewrites; what rewrites of one model differ by counts more than what models take, since
/// the former is what a search asks for. Without examples, and as far as they say nothing about a part, the weight is
/// what makes it the sum of prices, scaled to fit. How strongly weights are held there is chosen by leaving out one
/// model after another.
class GraphTime {
 public:
  /// The sum of prices of nodes.
  GraphTime();
  static GraphTime fit(std::span<const MeasuredRewrites> models);

  double seconds(const TimeParts& parts) const;
  double weight(TimePart part) const { return weights_[static_cast<std::size_t>(part)]; }

 private:
  std::array<double, kTimeParts> weights_{};
};

/// Prices whole graphs of a space by what was learned about a runtime.
class LearnedPricing final : public GraphPricing {
 public:
  /// Both must outlive it.
  LearnedPricing(const RewriteSpace& space, const GraphTime& time) : space_(space), time_(time) {}
  double seconds(const RewriteState& state) const override { return time_.seconds(time_parts(space_, state.graph)); }

 private:
  const RewriteSpace& space_;
  const GraphTime& time_;
};

}  // namespace hone
