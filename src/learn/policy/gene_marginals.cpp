#include "learn/policy/gene_marginals.h"

#include <algorithm>

namespace hone {

std::vector<GeneGuidance::Beta> marginals_of(std::span<const Decisions> plans) {
  constexpr double kLeastVariance = 1e-4;
  std::vector<GeneGuidance::Beta> marginals(plans.empty() ? 0 : plans.front().size());
  for (std::size_t gene = 0; gene < marginals.size(); ++gene) {
    double sum = 0, squares = 0;
    for (const Decisions& plan : plans) {
      sum += plan[gene];
      squares += static_cast<double>(plan[gene]) * plan[gene];
    }
    const double mean = std::clamp(sum / static_cast<double>(plans.size()), 0.01, 0.99);
    const double variance = std::max(kLeastVariance, squares / static_cast<double>(plans.size()) - mean * mean);
    const double strength = std::max(0.05, mean * (1 - mean) / variance - 1);
    marginals[gene] = {static_cast<float>(mean * strength), static_cast<float>((1 - mean) * strength)};
  }
  return marginals;
}

}  // namespace hone
