#include "learn/train/decision_examples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone::learn {
namespace {

constexpr std::size_t kMostDecisions =
    48;  // of a plan that are learned from, spread evenly: neighbours say much the same

template <class T>
torch::Tensor index_tensor_of(const std::vector<T>& values) {
  return torch::tensor(at::ArrayRef<T>(values));
}

/// Of how much likelier choices have become, by logarithm, and what they are worth: less and more than these limits
/// make no difference.
torch::Tensor clipped_gain(const torch::Tensor& likelier, const torch::Tensor& worth) {
  constexpr double kLimit = 0.2;
  const torch::Tensor ratio = likelier.exp();
  return torch::minimum(ratio * worth, ratio.clamp(1 - kLimit, 1 + kLimit) * worth).sum();
}

}  // namespace

std::vector<double> advantages(const std::vector<double>& rewards) {
  const auto count = static_cast<double>(rewards.size());
  const double mean = std::reduce(rewards.begin(), rewards.end()) / count;
  double squares = 0;
  for (const double reward : rewards) squares += (reward - mean) * (reward - mean);
  const double deviation = std::sqrt(squares / count);
  std::vector<double> result;
  for (const double reward : rewards) result.push_back(deviation < 1e-9 ? 0 : (reward - mean) / deviation);
  return result;
}

void DecisionExamples::add(const Trace& trace, std::int64_t first, double advantage) {
  const std::size_t stride = std::max<std::size_t>(1, trace.decisions.size() / kMostDecisions);
  const auto share =
      static_cast<float>(advantage * static_cast<double>(stride) / static_cast<double>(trace.decisions.size()));
  ++count_;
  for (std::size_t at = 0; at < trace.decisions.size(); at += stride) {
    const TraceStep& decision = trace.decisions[(at + count_) % trace.decisions.size()];
    const auto index = static_cast<std::int64_t>(advantage_.size());
    chosen_.push_back(static_cast<std::int64_t>(decision_.size()) + decision.chosen);
    for (std::uint32_t i = decision.first; i < decision.first + decision.count; ++i) {
      place_.push_back(static_cast<std::int64_t>(operation_.size()));
      decision_.push_back(index);
      operation_.push_back(first + trace.operations[i]);
      features_.insert(features_.end(), trace.features[i].begin(), trace.features[i].end());
    }
    if (decision.could_wait) {
      place_.push_back(-1 - waits_++);
      decision_.push_back(index);
      wait_features_.insert(wait_features_.end(), decision.wait.begin(), decision.wait.end());
    }
    advantage_.push_back(share);
  }
}

DecisionExamples::Loss DecisionExamples::loss(const torch::Tensor& weights, const torch::Tensor& wait,
                                              double entropy_worth, const torch::Tensor& before) const {
  const auto candidates = static_cast<std::int64_t>(operation_.size()),
             decisions = static_cast<std::int64_t>(advantage_.size());
  const torch::Tensor features =
      index_tensor_of(features_).view({candidates, static_cast<std::int64_t>(kOptionFeatures)});
  const torch::Tensor logit = (weights.index_select(0, index_tensor_of(operation_)) * features).sum(1);
  const torch::Tensor waits = index_tensor_of(wait_features_).view({waits_, static_cast<std::int64_t>(kWaitFeatures)});
  std::vector<std::int64_t> place = place_;
  for (std::int64_t& at : place) at = at < 0 ? candidates - 1 - at : at;
  const torch::Tensor scores = torch::cat({logit, waits.matmul(wait)}).index_select(0, index_tensor_of(place));
  const torch::Tensor logs = log_shares(scores, decision_, decisions);
  const torch::Tensor entropy = -(logs.exp() * logs).sum() / static_cast<double>(decisions);
  const torch::Tensor chosen = logs.index_select(0, index_tensor_of(chosen_)), worth = index_tensor_of(advantage_);
  const torch::Tensor gain = before.defined() ? clipped_gain(chosen - before, worth) : (chosen * worth).sum();
  return {-gain - entropy_worth * entropy, entropy.item<double>(), chosen.detach()};
}

torch::Tensor log_shares(const torch::Tensor& scores, const std::vector<std::int64_t>& decision_of,
                         std::int64_t count) {
  // Scores less the largest of their decision, so that no exponential is too large.
  std::vector<float> largest(static_cast<std::size_t>(count), -1e30F);
  const float* values = scores.data_ptr<float>();
  for (std::size_t i = 0; i < decision_of.size(); ++i) {
    float& most = largest[static_cast<std::size_t>(decision_of[i])];
    most = std::max(most, values[i]);
  }
  const torch::Tensor decision = index_tensor_of(decision_of);
  const torch::Tensor shifted = scores - index_tensor_of(largest).index_select(0, decision);
  const torch::Tensor sums = torch::zeros({count}).index_add(0, decision, shifted.exp());
  return shifted - sums.log().index_select(0, decision);
}

}  // namespace hone::learn
