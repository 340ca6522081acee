#include "sharding/price_ascent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr int kSweepsBeforePrices = 10;  // until the bound without prices is worth improving
constexpr int kPatience = 20;            // sweeps without progress until steps become shorter
constexpr double kShorter = 0.7;
constexpr double kShortest = 1e-3;
constexpr double kProgress = 1e-4;  // of the bound
constexpr double kMomentum = 0.7;
constexpr int kSweepsToSettle = 10;

}  // namespace

PriceAscent::PriceAscent(const LabelModel& model)
    : model_(model),
      dual_(model),
      direction_(model.times(), 0.0),
      best_prices_(model.times(), 0.0),
      best_bound_(-std::numeric_limits<double>::infinity()),
      last_progress_(best_bound_) {}

void PriceAscent::sweep() {
  dual_.sweep();
  ++sweeps_;
  ++since_progress_;
  const double bound = dual_.bound();
  if (!(bound <= last_progress_ + kProgress * std::abs(last_progress_))) {
    last_progress_ = bound;
    since_progress_ = 0;
  }
  if (bound <= best_bound_) return;
  best_bound_ = bound;
  best_prices_ = dual_.prices();
}

void PriceAscent::step(const std::vector<double>& usage, double cost) {
  if (sweeps_ < kSweepsBeforePrices) return;
  if (since_progress_ > kPatience) {
    length_ *= kShorter;
    since_progress_ = 0;
  }
  const double bound = dual_.bound();
  const double gap = std::clamp(cost - bound, 1e-3 * std::abs(bound), std::max(1.0, std::abs(bound)));
  std::vector<double> prices = dual_.prices();
  double square = 0;
  for (std::size_t t = 0; t < prices.size(); ++t) {
    direction_[t] = kMomentum * direction_[t] + (1 - kMomentum) * (usage[t] - model_.capacity()[t]);
    if (prices[t] > 0 || direction_[t] > 0) square += direction_[t] * direction_[t];
  }
  if (square <= 0) return;
  for (std::size_t t = 0; t < prices.size(); ++t)
    prices[t] = std::max(0.0, prices[t] + length_ * gap / square * direction_[t]);
  dual_.set_prices(prices);
}

bool PriceAscent::converged() const { return length_ < kShortest; }

double PriceAscent::settle() {
  dual_.set_prices(best_prices_);
  for (int i = 0; i < kSweepsToSettle; ++i) dual_.sweep();
  // Costs are whole numbers; what rounding may have added is less than this.
  const double error = 1e-9 * std::abs(dual_.bound()) + 1e-12 * model_.forbidden();
  return std::ceil(dual_.proven_bound() - error);
}

}  // namespace hone
