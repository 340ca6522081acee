#include "learn/train/reinforce.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "learn/train/checkpoint.h"

namespace hone::learn {
namespace {

constexpr double kLongestGradient = 1;
constexpr std::size_t kMostDecisions =
    48;  // of a plan that are learned from, spread evenly: neighbours say much the same

template <class T>
torch::Tensor tensor_of(const std::vector<T>& values) {
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

void Lessons::add(const Trace& trace, std::int64_t first, double advantage) {
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
      sights_.insert(sights_.end(), trace.sights[i].begin(), trace.sights[i].end());
    }
    if (decision.could_wait) {
      place_.push_back(-1 - waits_++);
      decision_.push_back(index);
      wait_sights_.insert(wait_sights_.end(), decision.wait.begin(), decision.wait.end());
    }
    advantage_.push_back(share);
  }
}

Lessons::Loss Lessons::loss(const torch::Tensor& weights, const torch::Tensor& wait, double entropy_worth,
                            const torch::Tensor& before) const {
  const auto candidates = static_cast<std::int64_t>(operation_.size()),
             decisions = static_cast<std::int64_t>(advantage_.size());
  const torch::Tensor sights = tensor_of(sights_).view({candidates, static_cast<std::int64_t>(kSights)});
  const torch::Tensor liked = (weights.index_select(0, tensor_of(operation_)) * sights).sum(1);
  const torch::Tensor waits = tensor_of(wait_sights_).view({waits_, static_cast<std::int64_t>(kWaitSights)});
  std::vector<std::int64_t> place = place_;
  for (std::int64_t& at : place) at = at < 0 ? candidates - 1 - at : at;
  const torch::Tensor scores = torch::cat({liked, waits.matmul(wait)}).index_select(0, tensor_of(place));
  const torch::Tensor logs = log_shares(scores, decision_, decisions);
  const torch::Tensor entropy = -(logs.exp() * logs).sum() / static_cast<double>(decisions);
  const torch::Tensor chosen = logs.index_select(0, tensor_of(chosen_)), worth = tensor_of(advantage_);
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
  const torch::Tensor decision = tensor_of(decision_of);
  const torch::Tensor shifted = scores - tensor_of(largest).index_select(0, decision);
  const torch::Tensor sums = torch::zeros({count}).index_add(0, decision, shifted.exp());
  return shifted - sums.log().index_select(0, decision);
}

void Adam::step(std::map<std::string, torch::Tensor>& parameters, double rate) {
  constexpr double kMean = 0.9, kSquare = 0.99;
  double squares = 0;
  for (const auto& [name, parameter] : parameters)
    if (parameter.grad().defined()) squares += parameter.grad().pow(2).sum().item<double>();
  if (!std::isfinite(squares)) fail_usage("training has diverged after step {}: a lower --rate may help", steps_);
  const double clip = std::min(1.0, kLongestGradient / (std::sqrt(squares) + 1e-12));
  ++steps_;
  const torch::NoGradGuard no_gradient;
  for (auto& [name, parameter] : parameters) {
    if (!parameter.grad().defined()) continue;
    const torch::Tensor gradient = parameter.grad() * clip;
    if (!mean_.contains(name)) mean_[name] = torch::zeros_like(gradient);
    if (!square_.contains(name)) square_[name] = torch::zeros_like(gradient);
    mean_[name] = kMean * mean_[name].to(gradient.device()) + (1 - kMean) * gradient;
    square_[name] = kSquare * square_[name].to(gradient.device()) + (1 - kSquare) * gradient * gradient;
    const torch::Tensor mean = mean_[name] / (1 - std::pow(kMean, steps_));
    const torch::Tensor square = square_[name] / (1 - std::pow(kSquare, steps_));
    parameter -= rate * mean / (square.sqrt() + 1e-8);
    parameter.mutable_grad() = torch::Tensor();
  }
}

Safetensors Adam::save() const {
  Safetensors contents;
  for (const auto& [name, tensor] : mean_) contents.arrays["mean." + name] = to_array(tensor);
  for (const auto& [name, tensor] : square_) contents.arrays["square." + name] = to_array(tensor);
  contents.metadata["adam_steps"] = std::to_string(steps_);
  return contents;
}

void Adam::load(const Safetensors& contents) {
  for (const auto& [name, array] : contents.arrays) {
    if (name.starts_with("mean.")) mean_[name.substr(5)] = to_tensor(array);
    if (name.starts_with("square.")) square_[name.substr(7)] = to_tensor(array);
  }
  steps_ = static_cast<std::int64_t>(number_in(contents, "adam_steps"));
}

}  // namespace hone::learn
