#include "learn/train/baseline.h"

#include <cmath>

#include "base/random.h"
#include "learn/train/combine.h"

namespace hone::learn {
namespace {

constexpr std::size_t kWidth = 32;

torch::Tensor drawn(std::vector<std::size_t> shape, Rng& rng) {
  NamedArray array{.shape = std::move(shape)};
  const double scale = 1 / std::sqrt(static_cast<double>(array.shape[1]));
  for (std::size_t i = 0; i < array.shape[0] * array.shape[1]; ++i)
    array.values.push_back(static_cast<float>(scale * rng.normal()));
  return to_tensor(array).requires_grad_();
}

}  // namespace

Baseline::Baseline(std::uint64_t seed) {
  Rng rng(seed);
  parameters_["value.hidden.weight"] = drawn({kWidth, kFeatures}, rng);
  parameters_["value.hidden.bias"] = torch::zeros({static_cast<std::int64_t>(kWidth)}).requires_grad_();
  parameters_["value.weight"] = drawn({1, kWidth}, rng);
  parameters_["value.bias"] = torch::zeros({1}).requires_grad_();
}

torch::Tensor Baseline::values(const Batch& batch) const {
  std::vector<torch::Tensor> means;
  for (std::size_t i = 0; i < batch.first.size(); ++i) {
    const std::int64_t end = i + 1 < batch.first.size() ? batch.first[i + 1] : batch.features.size(0);
    means.push_back(batch.features.slice(0, batch.first[i], end).mean(0));
  }
  const Term features{torch::stack(means), at("hidden.weight")};
  const Term hidden{combine({&features, 1}, at("hidden.bias"), Activation::relu), at("weight")};
  return combine({&hidden, 1}, at("bias"), Activation::none).squeeze(1);
}

Safetensors Baseline::save() const {
  Safetensors contents;
  for (const auto& [name, tensor] : parameters_) contents.arrays[name] = to_array(tensor);
  return contents;
}

void Baseline::load(const Safetensors& contents) {
  for (auto& [name, tensor] : parameters_)
    if (const auto found = contents.arrays.find(name); found != contents.arrays.end())
      tensor = to_tensor(found->second).requires_grad_();
}

}  // namespace hone::learn
