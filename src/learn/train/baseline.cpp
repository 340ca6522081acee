#include "learn/train/baseline.h"

#include "learn/network/layers.h"
#include "learn/policy/features.h"

namespace hone::learn {
namespace {

constexpr std::size_t kWidth = 32;

NetworkSpec value_network() {
  return {.prefix = "value.",
          .layers = {{.name = "hidden",
                      .kind = &dense_layer,
                      .inputs = kFeatures,
                      .outputs = kWidth,
                      .activation = Activation::relu},
                     {.name = "head", .kind = &dense_layer, .inputs = kWidth, .outputs = 1}},
          .free = {}};
}

Safetensors drawn_arrays(std::uint64_t seed) {
  Safetensors contents;
  draw_arrays(value_network(), seed, contents);
  return contents;
}

}  // namespace

Baseline::Baseline(std::uint64_t seed) : network_(value_network(), drawn_arrays(seed), "baseline") {}

torch::Tensor Baseline::values(const Batch& batch) const {
  std::vector<torch::Tensor> means;
  for (std::size_t i = 0; i < batch.first.size(); ++i) means.push_back(batch.rows_of(batch.features, i).mean(0));
  Batch graphs;
  graphs.features = torch::stack(means);
  return network_.forward(graphs).squeeze(1);
}

void Baseline::load(const Safetensors& contents) { network_ = TorchNetwork(value_network(), contents, "checkpoint"); }

}  // namespace hone::learn
