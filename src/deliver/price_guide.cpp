#include "deliver/price_guide.h"

#include <algorithm>
#include <iterator>

#include "deliver/rule_moves.h"

namespace hone {

std::function<Model(const Model&)> PriceGuide::static_maker() const {
  return [this](const Model& model) {
    Model copy = model;
    request_.make_static(copy);
    return copy;
  };
}

TunedPrices PriceGuide::prices_for(const Proposal& start) const {
  TunedPrices prices(prices_, static_maker()(*start.model));
  for (const PriceLesson& lesson : request_.price_lessons) prices.learn(lesson);
  return prices;
}

std::vector<Move> PriceGuide::ordered(const Proposal& start, std::vector<Move>& options, DecisionLog& log,
                                      double wall_seconds) const {
  std::vector<Move> moves = rule_moves(request_.domains);
  const auto priced = std::ranges::stable_partition(options, std::not_fn(is_priced));
  std::ranges::move(priced, std::back_inserter(moves));
  options.erase(priced.begin(), priced.end());
  const TunedPrices prices = prices_for(start);
  PriceForecast forecast(prices, static_maker());
  return ordered_by_forecast(start, std::move(moves), forecast, log, wall_seconds).moves;
}

std::optional<Move> PriceGuide::wanted_after(const Proposal& start, std::span<const RacedProposal> timed, Wish wish,
                                             double wall_seconds) const {
  constexpr double kBoldHope = 1;
  TunedPrices tuned = prices_for(start);
  for (const PriceSample& sample : price_samples(timed, tuned, static_maker())) tuned.learn(sample);
  PriceForecast forecast(tuned, static_maker(), wish == Wish::bold ? kBoldHope : 0);
  DecisionLog log;  // which says again what was said before
  return ordered_by_forecast(start, priced_moves(*start.model, *request_.runtime, request_.domains), forecast, log,
                             wall_seconds)
      .together;
}

void PriceGuide::teach(const Proposal& start, std::span<const RacedProposal> timed) const {
  if (!request_.record_price_lesson) return;
  const TunedPrices prices(prices_, static_maker()(*start.model));
  const PriceLesson lesson{.prices = prices_.digest(), .samples = price_samples(timed, prices, static_maker())};
  if (!lesson.samples.empty()) request_.record_price_lesson(lesson);
}

}  // namespace hone
