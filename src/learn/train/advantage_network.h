#pragma once

#include <memory>
#include <span>

#include "learn/advantage/calibration.h"
#include "learn/train/advantage_examples.h"
#include "learn/train/torch_network.h"

namespace hone::learn {

/// The two networks of a policy of advantages, with gradients.
class AdvantageNetwork {
 public:
  AdvantageNetwork(const Safetensors& policy, const std::string& source);

  /// Rows of AdvantageOutput, one a candidate, those of all examples one after another.
  torch::Tensor predict(std::span<const AdvantageExample* const> examples) const;
  /// Of the advantages and magnitudes of some candidates of each example (Huber).
  torch::Tensor loss(std::span<const AdvantageExample* const> examples,
                     std::span<const std::vector<std::int64_t>> drawn) const;
  AdvantageCalibration calibration(std::span<const std::unique_ptr<AdvantageExample>> examples) const;

  /// Of both networks; what is done to them is done to the networks.
  std::map<std::string, torch::Tensor> parameters();
  Safetensors save() const;
  void put(Safetensors& checkpoint) const;
  void take(const Safetensors& checkpoint);

 private:
  std::size_t width_;
  NetworkSpec operations_spec_, judge_spec_;
  TorchNetwork operations_, judge_;
};

}  // namespace hone::learn
