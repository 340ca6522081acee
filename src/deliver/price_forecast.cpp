#include "deliver/price_forecast.h"

#include <algorithm>
#include <cmath>

#include "base/timer.h"
#include "deliver/rule_moves.h"
#include "deliver/runtime_moves.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

constexpr double kHopeOfMoves = 0.1;  // more deviations, by which it is decided what is worth a look

}  // namespace

std::optional<std::vector<std::string>> priced_options(const Proposal& proposal) {
  std::vector<std::string> options;
  for (const Step& step : proposal.steps) {
    if (step.part == Part::model) continue;
    if (!is_priced_option(step.name)) return std::nullopt;
    options.push_back(step.name);
  }
  std::ranges::sort(options);
  return options;
}

void PriceForecast::look_at(std::span<const Proposal> proposals, double wall_seconds) {
  const Timer timer;
  for (const Proposal& proposal : proposals) {
    if (timer.seconds() > wall_seconds) return;
    const std::optional<std::vector<std::string>> options = priced_options(proposal);
    if (!options || told_.contains({proposal.model, *options})) continue;
    told_[{proposal.model, *options}] = prices_.expected(made_static_(*proposal.model), *options);
  }
}

/// Null where nothing is known of it.
const TunedPrices::Expected* PriceForecast::told(const Proposal& proposal) const {
  const std::optional<std::vector<std::string>> options = priced_options(proposal);
  if (!options) return nullptr;
  const auto found = told_.find({proposal.model, *options});
  return found == told_.end() ? nullptr : &found->second;
}

std::optional<double> PriceForecast::seconds(const Proposal& proposal) const {
  const TunedPrices::Expected* known = told(proposal);
  return known == nullptr ? std::nullopt : std::optional(known->hopeful_seconds(hope_));
}

std::optional<double> PriceForecast::hopeful_seconds(const Proposal& proposal) const {
  const TunedPrices::Expected* known = told(proposal);
  return known == nullptr ? std::nullopt : std::optional(known->hopeful_seconds(hope_ + kHopeOfMoves));
}

std::vector<PriceSample> price_samples(std::span<const RacedProposal> timed, const TunedPrices& prices,
                                       const std::function<Model(const Model&)>& made_static) {
  std::vector<PriceSample> samples;
  for (const RacedProposal& each : timed)
    if (const std::optional<std::vector<std::string>> options = priced_options(each.proposal))
      samples.push_back(prices.sample(made_static(*each.proposal.model), *options, std::log(each.ratio.ratio),
                                      log_error(each.ratio)));
  return samples;
}

TunedPrices tuned_by(const Proposal& start, std::span<const RacedProposal> timed, const GraphPrices& prices,
                     const std::function<Model(const Model&)>& made_static) {
  TunedPrices tuned(prices, made_static(*start.model));
  for (const PriceSample& sample : price_samples(timed, tuned, made_static)) tuned.learn(sample);
  return tuned;
}

bool is_priced(const Move& move) { return move.kind == Move::Kind::model || is_priced_option(move.name); }

std::vector<Move> priced_moves(const Model& model, const Runtime& runtime, const std::vector<std::string>& domains) {
  std::vector<Move> moves = rule_moves(domains);
  for (Move& move : runtime_moves(runtime, model, 1, OptionRange::likely))
    if (is_priced(move)) moves.push_back(std::move(move));
  return moves;
}

Model with_types(const Model& model) {
  Model copy = model;
  infer_types(copy);
  return copy;
}

std::optional<Proposal> improved_by(Forecast& forecast, const Proposal& start, const Runtime& runtime,
                                    double wall_seconds) {
  DecisionLog log;
  return ordered_by_forecast(start, priced_moves(*start.model, runtime, {}), forecast, log, wall_seconds).wanted;
}

}  // namespace hone
