#include "bench/planning/interval.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/random.h"
#include "run/measure/statistics.h"

namespace hone {

nlohmann::ordered_json GraphFigure::json() const {
  return {{"value", value}, {"low", low}, {"high", high}, {"graphs", graphs}};
}

double ratio_of_sums(std::span<const GraphShare> shares) {
  double part = 0, whole = 0;
  for (const GraphShare& share : shares) {
    part += share.part;
    whole += share.whole;
  }
  return whole == 0 ? 0 : part / whole;
}

double least_part(std::span<const GraphShare> shares) {
  return std::ranges::min_element(shares, {}, &GraphShare::part)->part;
}

GraphFigure over_graphs(std::span<const GraphShare> shares, const GraphStatistic& statistic) {
  constexpr std::size_t kResamples = 2000;
  HONE_CHECK(!shares.empty(), "a figure needs a graph");
  GraphFigure figure{.value = statistic(shares), .graphs = shares.size()};
  Rng rng(0);
  std::vector<double> spread;
  std::vector<GraphShare> drawn(shares.size());
  for (std::size_t i = 0; i < kResamples; ++i) {
    for (GraphShare& share : drawn) share = shares[rng.below(shares.size())];
    spread.push_back(statistic(drawn) - figure.value);
  }
  std::ranges::sort(spread);
  const double factor = student_factor(kNormal95, shares.size());
  figure.low = figure.value + factor * quantile(spread, 0.025);
  figure.high = figure.value + factor * quantile(spread, 0.975);
  return figure;
}

}  // namespace hone
