#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/random.h"

namespace hone {

/// Draws one of several options with a chance that grows exponentially with its score; without temperature, the best
/// one.
class SoftmaxDraw {
 public:
  SoftmaxDraw(double temperature, Rng& rng) : temperature_(temperature), rng_(rng) {}

  void offer(std::size_t option, std::span<const float> weights, std::span<const float> features) {
    double score = std::inner_product(weights.begin(), weights.end(), features.begin(), 0.0F);
    // What is added is Gumbel's, so that the maximum is a draw from the softmax.
    if (temperature_ > 0) score -= temperature_ * std::log(-std::log(std::max(rng_.uniform(), 1e-300)));
    if (score <= best_) return;
    best_ = score;
    chosen_ = option;
  }

  std::size_t chosen() const { return chosen_; }

 private:
  double temperature_;
  Rng& rng_;
  double best_ = -std::numeric_limits<double>::infinity();
  std::size_t chosen_ = 0;
};

}  // namespace hone
