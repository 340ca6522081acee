#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/linear_fit.h"
#include "learn/rewrite/graph_prices.h"
#include "rewrite/worth/price_lesson.h"

namespace hone {

/// Prices that also go by what was measured of one model: the learned ones are what is expected of a rewrite, and every
/// rewrite of it that was measured corrects by how much columns of nodes raise or lower their prices, those most of
/// which its graph has more or less than the original. Near the learned prices what a graph takes is linear in these
/// corrections, so that they are fitted one measurement after another. What was measured of other models corrects them,
/// too, before.
class TunedPrices {
 public:
  /// The prices must outlive it.
  TunedPrices(const GraphPrices& prices, const Model& original);
  /// The same corrections for rewrites of another model, such as the same at another size.
  TunedPrices moved_to(const Model& original) const;

  /// What there is to learn of a rewrite that was measured to take so much, as the logarithm of the share of what the
  /// original takes, with the standard error of that.
  PriceSample sample(const Model& rewritten, std::span<const std::string> options, double log_ratio,
                     double error) const;
  void learn(const PriceSample& sample) { learn(sample, 0); }
  /// What was measured of another model, which counts less; nothing is learned of what other prices say.
  void learn(const PriceLesson& lesson);

  /// What a graph is expected to take.
  struct Expected {
    double seconds = 0;
    double deviation = 0;  // of its logarithm: the less is known of what a rewrite changes, the more
    /// If things go well by so many deviations.
    double hopeful_seconds(double deviations) const;
  };
  /// Types must have been inferred, and the options must have prices.
  Expected expected(const Model& model, std::span<const std::string> options = {}) const;

 private:
  /// How much more of every column a graph has than the original, each node counted by its share of the time.
  std::vector<double> beyond_original(const PricedGraph& graph) const;
  void learn(const PriceSample& sample, double transfer_deviation);

  const GraphPrices& prices_;
  PricedGraph original_;
  LinearFit corrections_;  // of what columns are worth
};

}  // namespace hone
