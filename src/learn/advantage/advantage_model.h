#pragma once

#include <span>
#include <vector>

#include "base/linear_fit.h"
#include "learn/advantage/advantage_features.h"
#include "learn/advantage/advantage_policy.h"

namespace hone {

/// What a policy says of candidates, corrected by what came of those that were tried. Networks stay what they are; the
/// last products are a Bayesian linear regression whose prior is what was learned offline.
class AdvantageModel {
 public:
  explicit AdvantageModel(const Policy& policy);

  /// Some candidates, and the bases of all of them one after another.
  struct Judged {
    std::vector<DecisionChange> candidates;
    std::vector<float> bases;
  };
  /// All candidates of some units at the decisions that the features are set to.
  Judged judge(AdvantageFeatures& features, std::span<const std::uint32_t> units) const;

  std::size_t basis_size() const { return size_; }
  /// Of a basis: the advantage as a signed logarithm, or its magnitude.
  double predict(std::span<const float> basis, AdvantageOutput output) const;
  /// Takes note of what came of a candidate, as a signed logarithm.
  void learn(std::span<const float> basis, double label);
  std::size_t learned() const { return learned_; }

 private:
  const Policy& policy_;
  std::size_t width_, size_;
  LinearFit advantage_;
  std::vector<double> magnitude_;  // weights
  std::size_t learned_ = 0;
};

}  // namespace hone
