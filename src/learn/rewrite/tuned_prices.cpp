#include "learn/rewrite/tuned_prices.h"

#include <algorithm>
#include <cmath>

#include "learn/rewrite/price_columns.h"

namespace hone {
namespace {

constexpr double kWordDeviation = 0.5;     // by which the price of a sort of node may be off, as a logarithm
constexpr double kNumberDeviation = 0.05;  // and by how much for one unit of a number
constexpr double kTransfer = 0.2;          // of a measurement of another model, besides its error
constexpr double kPeculiar = 3;            // and times what it surprises by: that is mostly peculiar to that model
constexpr double kUnexplained = 0.01;      // of a measurement, besides its error: what no correction of columns tells

std::vector<double> first_variances() {
  std::vector<double> variances(kPriceColumns);
  for (std::size_t i = 0; i < kPriceColumns; ++i)
    variances[i] = std::pow(i < kPriceNumbers ? kNumberDeviation : kWordDeviation, 2);
  return variances;
}

}  // namespace

TunedPrices::TunedPrices(const GraphPrices& prices, const Model& original)
    : prices_(prices),
      original_(prices.price(original)),
      corrections_(std::vector<double>(kPriceColumns), first_variances()) {}

TunedPrices TunedPrices::moved_to(const Model& original) const {
  TunedPrices moved = *this;
  moved.original_ = prices_.price(original);
  return moved;
}

std::vector<double> TunedPrices::beyond_original(const PricedGraph& graph) const {
  std::vector<double> more(kPriceColumns);
  for (std::size_t i = 0; i < kPriceColumns; ++i) more[i] = graph.columns[i] - original_.columns[i];
  return more;
}

PriceSample TunedPrices::sample(const Model& rewritten, std::span<const std::string> options, double log_ratio,
                                double error) const {
  const PricedGraph graph = prices_.price(rewritten, options);
  return {.columns = beyond_original(graph),
          .expected_log_ratio = std::log(graph.seconds / original_.seconds),
          .log_ratio = log_ratio,
          .error = error};
}

void TunedPrices::learn(const PriceLesson& lesson) {
  if (lesson.prices != prices_.digest()) return;
  for (const PriceSample& sample : lesson.samples)
    if (sample.columns.size() == kPriceColumns)
      learn(sample, std::hypot(kTransfer, kPeculiar * (sample.log_ratio - sample.expected_log_ratio)));
}

void TunedPrices::learn(const PriceSample& sample, double transfer_deviation) {
  const double noise = sample.error * sample.error + kUnexplained * kUnexplained + std::pow(transfer_deviation, 2);
  corrections_.learn<double>(sample.columns, sample.log_ratio - sample.expected_log_ratio, noise);
}

TunedPrices::Expected TunedPrices::expected(const Model& model, std::span<const std::string> options) const {
  const PricedGraph graph = prices_.price(model, options);
  const std::vector<double> more = beyond_original(graph);
  return {.seconds = graph.seconds * std::exp(corrections_.predict<double>(more)),
          .deviation = std::sqrt(std::max(0.0, corrections_.variance<double>(more)))};
}

double TunedPrices::Expected::hopeful_seconds(double deviations) const {
  return seconds * std::exp(-deviations * deviation);
}

}  // namespace hone
