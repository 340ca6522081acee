#include "learn/train/torch_network.h"

#include "learn/train/torch_layer.h"

namespace hone::learn {

TorchNetwork::TorchNetwork(NetworkSpec spec, const Safetensors& contents, std::string_view source)
    : spec_(std::move(spec)) {
  for (const ArraySpec& array : arrays_of(spec_))
    parameters_[array.name] = to_tensor(array_of(contents, array.name, array.shape, source)).requires_grad_();
}

torch::Tensor TorchNetwork::forward(const Batch& given) const {
  const Batch batch = given.to(device_);
  torch::Tensor rows = batch.features;
  for (const LayerSpec& layer : spec_.layers) {
    const LayerTensors tensors(parameters_, spec_.prefix + layer.name + ".");
    const torch::Tensor next = TorchLayer::named(layer.kind->name()).forward(layer, tensors, rows, batch);
    rows = layer.residual == Residual::added ? rows + next : next;
  }
  return rows.to(torch::kCPU);
}

void TorchNetwork::move_to(const torch::Device& device) {
  device_ = device;
  for (const LayerSpec& layer : spec_.layers)
    for (const ArraySpec& array : layer.kind->arrays(layer)) {
      torch::Tensor& tensor = parameters_.at(spec_.prefix + layer.name + "." + array.name);
      tensor = tensor.detach().to(device).requires_grad_();
    }
}

Safetensors TorchNetwork::save() const {
  Safetensors contents;
  for (const auto& [name, tensor] : parameters_) contents.arrays[name] = to_array(tensor);
  return contents;
}

}  // namespace hone::learn
