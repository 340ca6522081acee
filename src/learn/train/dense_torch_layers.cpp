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

torch::Tensor superposition_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                                    const Batch& batch) {
  const torch::Tensor gates = 2 * torch::sigmoid(tensors.map("", batch.condition));
  if (batch.first.size() == 1) return activated(rows * gates, spec.activation);
  std::vector<torch::Tensor> parts;
  for (std::size_t i = 0; i < batch.first.size(); ++i)
    parts.push_back(batch.rows_of(rows, i) *
                    gates.slice(0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1));
  return activated(torch::cat(parts), spec.activation);
}

const TorchLayer dense(dense_layer, dense_forward);
const TorchLayer norm(norm_layer, norm_forward);
const TorchLayer superposition(superposition_layer, superposition_forward);

}  // namespace

torch::Tensor LayerTensors::map(const std::string& name, const torch::Tensor& rows, Activation activation) const {
  const Term term{rows, at(name + "weight")};
  return combine({&term, 1}, at(name + "bias"), activation);
}

}  // namespace hone::learn
