// Layers that look at each row by itself.

#include "learn/train/torch_layer.h"

namespace hone::learn {
namespace {

torch::Tensor dense_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                            const Batch&) {
  return tensors.map("", rows, spec.activation);
}

torch::Tensor norm_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                           const Batch&) {
  const torch::Tensor normal = torch::layer_norm(rows, {rows.size(1)}, tensors.at("weight"), tensors.at("bias"),
                                                 static_cast<double>(kNormEpsilon));
  return activated(normal, spec.activation);
}

const TorchLayer dense(dense_layer, dense_forward);
const TorchLayer norm(norm_layer, norm_forward);

}  // namespace

torch::Tensor LayerTensors::map(const std::string& name, const torch::Tensor& rows, Activation activation) const {
  const Term term{rows, at(name + "weight")};
  return combine({&term, 1}, at(name + "bias"), activation);
}

}  // namespace hone::learn
