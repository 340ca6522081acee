#pragma once

#include <functional>
#include <map>
#include <memory>

#include "deliver/kernel_forecast.h"
#include "learn/rewrite/graph_prices.h"

namespace hone {

/// What models take by prices that were learned on other graphs: nothing is run, timed or asked.
class PriceForecast final : public Forecast {
 public:
  /// `made_static` gives a copy of a model with static types; the prices must outlive it.
  PriceForecast(const GraphPrices& prices, std::function<Model(const Model&)> made_static)
      : prices_(prices), made_static_(std::move(made_static)) {}

  void look_at(std::span<const Proposal> proposals, double wall_seconds) override;
  std::optional<double> seconds(const Proposal& proposal) const override;
  std::string lost_fusions(const Proposal&, const Proposal&) const override { return {}; }

 private:
  const GraphPrices& prices_;
  std::function<Model(const Model&)> made_static_;
  std::map<std::shared_ptr<const Model>, double> seconds_;
};

/// What families of rules make of a proposal that prices alone speak for, one on top of another; nothing where there is
/// none.
std::optional<Proposal> rewritten_by_prices(const Proposal& start, const GraphPrices& prices, double wall_seconds);

}  // namespace hone
