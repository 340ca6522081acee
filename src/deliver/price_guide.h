#pragma once

#include <optional>
#include <span>
#include <vector>

#include "deliver/delivery.h"
#include "deliver/price_forecast.h"

namespace hone {

/// Prices learned on other graphs and corrected by what earlier models taught, as a delivery is guided by them.
class PriceGuide {
 public:
  /// The request must outlive it.
  PriceGuide(GraphPrices prices, const DeliveryRequest& request) : prices_(std::move(prices)), request_(request) {}

  /// Families of rules, and those of the options that have prices, the most promising first; such options are taken out
  /// of what was given.
  std::vector<Move> ordered(const Proposal& start, std::vector<Move>& options, DecisionLog& log,
                            double wall_seconds) const;
  /// What to take together by prices that were also corrected by what was timed.
  std::optional<Move> wanted_after(const Proposal& start, std::span<const RacedProposal> timed, Wish wish,
                                   double wall_seconds) const;
  /// Records what later models can learn of what was timed, if anything.
  void teach(const Proposal& start, std::span<const RacedProposal> timed) const;

 private:
  TunedPrices prices_for(const Proposal& start) const;
  std::function<Model(const Model&)> static_maker() const;

  GraphPrices prices_;
  const DeliveryRequest& request_;
};

}  // namespace hone
