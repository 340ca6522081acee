#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "learn/rewrite/rewrite_policy.h"
#include "learn/train/torch_network.h"

namespace hone::learn {

/// A policy of rewriting with gradients: computes what `RewritePolicyKind::scores` computes from the same arrays.
class RewriteTorch {
 public:
  /// Throws InputError when arrays are missing, have another shape or numbers that are not finite.
  RewriteTorch(const Safetensors& contents, std::string_view source, const torch::Device& device = torch::kCPU);

  /// Of one scene.
  struct Scores {
    torch::Tensor logits;  // of rewrites, then of stopping
    torch::Tensor value;   // a number
  };
  std::vector<Scores> scores(std::span<const RewriteScene* const> scenes) const;

  const RewritePolicyKind& kind() const { return *kind_; }
  /// By their whole names.
  std::map<std::string, torch::Tensor>& parameters() { return parameters_; }
  Safetensors save() const;

 private:
  const TorchNetwork& network(std::string_view part) const { return networks_.at(std::string(part)); }
  Scores of_rewrites(const RewriteScene& scene, const torch::Tensor& rows, const torch::Tensor& given) const;
  std::vector<Scores> of_graphs(std::span<const RewriteScene* const> scenes) const;

  const RewritePolicyKind* kind_;
  std::map<std::string, TorchNetwork> networks_;
  std::map<std::string, torch::Tensor> parameters_;
};

}  // namespace hone::learn
