#pragma once

#include <map>
#include <string>

#include "learn/network/layers.h"
#include "learn/train/batch.h"
#include "learn/train/combine.h"

namespace hone::learn {

/// The arrays of one layer by the names that its kind gives them.
class LayerTensors {
 public:
  LayerTensors(const std::map<std::string, torch::Tensor>& all, std::string prefix)
      : all_(all), prefix_(std::move(prefix)) {}

  const torch::Tensor& at(const std::string& name) const { return all_.at(prefix_ + name); }
  /// Rows through the matrix `weight` and the bias of a name.
  torch::Tensor map(const std::string& name, const torch::Tensor& rows, Activation activation = Activation::none) const;

 private:
  const std::map<std::string, torch::Tensor>& all_;
  std::string prefix_;
};

/// A kind of layer with gradients: computes what the kind's `Layer` computes, activation included, from the same
/// arrays. Defining one at namespace scope registers it.
class TorchLayer : public Registered<TorchLayer> {
 public:
  static constexpr std::string_view kCalled = "kind of layer with gradients";
  using Forward = torch::Tensor (*)(const LayerSpec&, const LayerTensors&, const torch::Tensor& rows, const Batch&);

  TorchLayer(const LayerKind& kind, Forward function) : kind_(kind), forward_(function) {}

  std::string_view name() const { return kind_.name(); }
  torch::Tensor forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                        const Batch& batch) const {
    return forward_(spec, tensors, rows, batch);
  }

 private:
  const LayerKind& kind_;
  Forward forward_;
};

}  // namespace hone::learn
