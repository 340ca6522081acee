#pragma once

#include <map>
#include <span>
#include <string>

#include "learn/policy/go_chain.h"
#include "learn/train/torch_network.h"

namespace hone::learn {

/// A policy of GO with gradients: computes what `GoNetwork` computes from the same arrays.
class GoTorch {
 public:
  /// Throws InputError when arrays are missing, have another shape or numbers that are not finite.
  GoTorch(const Safetensors& contents, std::string_view source, const torch::Device& device);

  /// What scores are made for, ready for a gradient.
  struct Scores {
    torch::Tensor place, schedule, fuse;  // a row an operation; not defined for tasks that are not asked about
    torch::Tensor graph;                  // one row
  };

  torch::Tensor encode(const Batch& batch) const { return network(kGoEncoder).forward(batch); }
  /// `batch` is that of the graph alone, `embedded` what `encode` gave for it.
  Scores decide(const GraphView& graph, const Batch& batch, const torch::Tensor& embedded, const GoStep& step) const;

  /// By their whole names.
  std::map<std::string, torch::Tensor>& parameters() { return parameters_; }
  Safetensors save() const;

 private:
  const TorchNetwork& network(std::string_view part) const { return networks_.at(std::string(part)); }
  torch::Tensor place_scores(const GraphView& graph, const torch::Tensor& rows, const GoSight& sight) const;

  GoWithout without_ = GoWithout::nothing;
  std::map<std::string, TorchNetwork> networks_;
  std::map<std::string, torch::Tensor> parameters_;
};

}  // namespace hone::learn
