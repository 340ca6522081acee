#include "learn/train/adam.h"

#include <cmath>

#include "base/error.h"
#include "learn/train/batch.h"
#include "learn/train/checkpoint.h"

namespace hone::learn {
namespace {

constexpr double kLongestGradient = 1;

}  // namespace

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
    torch::Tensor &mean = mean_[name], &square = square_[name];
    if (mean.device() != gradient.device()) mean = mean.to(gradient.device());  // a checkpoint's
    if (square.device() != gradient.device()) square = square.to(gradient.device());
    mean.mul_(kMean).add_(gradient, 1 - kMean);  // in place: of large networks new memory takes longer than the sums
    square.mul_(kSquare).addcmul_(gradient, gradient, 1 - kSquare);
    const double mean_share = 1 - std::pow(kMean, steps_), square_share = 1 - std::pow(kSquare, steps_);
    parameter.addcdiv_(mean, (square / square_share).sqrt_().add_(1e-8), -rate / mean_share);
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
