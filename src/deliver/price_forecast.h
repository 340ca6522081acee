#pragma once

#include <functional>
#include <map>
#include <memory>

#include "deliver/climb.h"
#include "deliver/kernel_forecast.h"
#include "learn/rewrite/tuned_prices.h"
#include "run/runtime/runtime.h"

namespace hone {

/// What models take by prices that were learned on other graphs: nothing is run, timed or asked.
class PriceForecast final : public Forecast {
 public:
  /// `made_static` gives a copy of a model with static types. The prices, tuned or not yet, must outlive it. What is
  /// told is what things take if they go well by so many deviations.
  PriceForecast(const TunedPrices& prices, std::function<Model(const Model&)> made_static, double hope = 0)
      : prices_(prices), made_static_(std::move(made_static)), hope_(hope) {}

  void look_at(std::span<const Proposal> proposals, double wall_seconds) override;
  std::optional<double> seconds(const Proposal& proposal) const override;
  std::optional<double> hopeful_seconds(const Proposal& proposal) const override;
  std::string lost_fusions(const Proposal&, const Proposal&) const override { return {}; }

 private:
  using ModelWithOptions = std::pair<std::shared_ptr<const Model>, std::vector<std::string>>;

  const TunedPrices::Expected* told(const Proposal& proposal) const;

  const TunedPrices& prices_;
  std::function<Model(const Model&)> made_static_;
  double hope_;
  std::map<ModelWithOptions, TunedPrices::Expected> told_;
};

/// What a forecast alone makes of a proposal, of moves that have prices, one on top of another; nothing where it speaks
/// for none.
std::optional<Proposal> improved_by(Forecast& forecast, const Proposal& start, const Runtime& runtime,
                                    double wall_seconds);
/// A copy with types inferred.
Model with_types(const Model& model);

/// What there is to learn of proposals that were timed, as far as all options of these have prices.
std::vector<PriceSample> price_samples(std::span<const RacedProposal> timed, const TunedPrices& prices,
                                       const std::function<Model(const Model&)>& made_static);
/// Prices that were corrected by that alone.
TunedPrices tuned_by(const Proposal& start, std::span<const RacedProposal> timed, const GraphPrices& prices,
                     const std::function<Model(const Model&)>& made_static);
/// The options that a proposal is run with, in the order of their names; nothing where one of them has no price.
std::optional<std::vector<std::string>> priced_options(const Proposal& proposal);

/// Whether prices can speak of a move: it changes the model, or an option that has a price.
bool is_priced(const Move& move);
/// All moves that they can speak of; rules may use operators of some domains beyond ONNX's own.
std::vector<Move> priced_moves(const Model& model, const Runtime& runtime, const std::vector<std::string>& domains);

}  // namespace hone
