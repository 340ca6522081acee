#pragma once

#include <map>
#include <string>

#include "learn/train/torch_network.h"

namespace hone::learn {

/// Guesses what plans of a graph will be rewarded with: the mean features of its operations through one hidden layer. A
/// baseline for PPO that is learned with the policy and not part of it.
class Baseline {
 public:
  explicit Baseline(std::uint64_t seed);

  /// By graph of the batch.
  torch::Tensor values(const Batch& batch) const;
  std::map<std::string, torch::Tensor>& parameters() { return network_.parameters(); }
  /// Arrays by name, all of which begin with `value.`.
  Safetensors save() const { return network_.save(); }
  void load(const Safetensors& contents);

 private:
  TorchNetwork network_;
};

}  // namespace hone::learn
