#include "deliver/price_forecast.h"

#include "base/timer.h"
#include "deliver/rule_moves.h"
#include "graph/ops/infer.h"

namespace hone {

void PriceForecast::look_at(std::span<const Proposal> proposals, double wall_seconds) {
  const Timer timer;
  for (const Proposal& proposal : proposals) {
    if (timer.seconds() > wall_seconds) return;
    if (!seconds_.contains(proposal.model)) seconds_[proposal.model] = prices_.seconds(made_static_(*proposal.model));
  }
}

std::optional<double> PriceForecast::seconds(const Proposal& proposal) const {
  const auto found = seconds_.find(proposal.model);
  return found == seconds_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Proposal> rewritten_by_prices(const Proposal& start, const GraphPrices& prices, double wall_seconds) {
  PriceForecast forecast(prices, [](const Model& model) {
    Model copy = model;
    infer_types(copy);
    return copy;
  });
  DecisionLog log;
  return ordered_by_forecast(start, rule_moves({}), forecast, log, wall_seconds).wanted;
}

}  // namespace hone
