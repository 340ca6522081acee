#include "plan/sharding/price_ascent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr int kSweepsBeforePrices = 10;  // until the bound without prices is worth improving
constexpr int kPatience = 20;            // sweeps without progress until steps become shorter, from the best prices on
constexpr double kShorter = 0.7;
constexpr double kShortest = 1e-4;
constexpr double kProgress = 1e-4;  // of the bound
constexpr double kMomentum = 0.7;

}  // namespace

PriceAscent::PriceAscent(const LabelModel& model)
    : model_(model),
      dual_(std::in_place, model),
      direction_(model.times(), 0.0),
      last_progress_(-std::numeric_limits<double>::infinity()) {}

void PriceAscent::sweep() {
  dual_->sweep();
  ++sweeps_;
  ++since_progress_;
  const double bound = dual_->bound();
  if (!(bound <= last_progress_ + kProgress * std::abs(last_progress_))) {
    last_progress_ = bound;
    since_progress_ = 0;
  }
  if (!best_ || bound > best_->bound()) best_.emplace(*dual_);
}

void PriceAscent::step(const std::vector<double>& usage, double cost) {
  if (sweeps_ < kSweepsBeforePrices) return;
  if (since_progress_ > kPatience) {
    length_ *= kShorter;
    since_progress_ = 0;
    dual_.emplace(*best_);
    std::ranges::fill(direction_, 0.0);
  }
  const double bound = dual_->bound();
  const double gap = std::clamp(cost - bound, 1e-3 * std::abs(bound), std::max(1.0, std::abs(bound)));
  std::vector<double> prices = dual_->prices();
  double square = 0;
  for (std::size_t t = 0; t < prices.size(); ++t) {
    direction_[t] = kMomentum * direction_[t] + (1 - kMomentum) * (usage[t] - model_.capacity()[t]);
    if (prices[t] > 0 || direction_[t] > 0) square += direction_[t] * direction_[t];
  }
  if (square <= 0) return;
  for (std::size_t t = 0; t < prices.size(); ++t)
    prices[t] = std::max(0.0, prices[t] + length_ * gap / square * direction_[t]);
  dual_->set_prices(prices);
}

bool PriceAscent::converged() const { return length_ < kShortest; }

double PriceAscent::proven_bound() const {
  const DualAscent& dual = best_ ? *best_ : *dual_;
  // Costs are whole numbers; what rounding may have added is less than this.
  const double error = 1e-9 * std::abs(dual.bound()) + 1e-12 * model_.forbidden();
  return std::ceil(dual.proven_bound() - error);
}

}  // namespace hone
