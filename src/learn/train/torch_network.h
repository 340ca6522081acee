#pragma once

#include <map>
#include <string>

#include "learn/network/network.h"
#include "learn/train/batch.h"

namespace hone::learn {

/// A network with gradients, from the same description and arrays as `Network`, which computes the same.
class TorchNetwork {
 public:
  /// Throws InputError when arrays are missing, have another shape or numbers that are not finite.
  TorchNetwork(NetworkSpec spec, const Safetensors& contents, std::string_view source);

  /// Rows of outputs, one a node, on the CPU.
  torch::Tensor forward(const Batch& batch) const;
  /// An array of no layer.
  const torch::Tensor& free(const std::string& name) const { return parameters_.at(spec_.prefix + name); }
  /// By their whole names.
  std::map<std::string, torch::Tensor>& parameters() { return parameters_; }
  Safetensors save() const;
  /// From now on rows are worked on there; arrays of no layer stay on the CPU, where losses are computed.
  void move_to(const torch::Device& device);
  /// From now on rows go through these layers alone; arrays of the others are kept and saved.
  void go_through(NetworkSpec fewer) { spec_ = std::move(fewer); }

 private:
  NetworkSpec spec_;
  torch::Device device_ = torch::kCPU;
  std::map<std::string, torch::Tensor> parameters_;
};

}  // namespace hone::learn
