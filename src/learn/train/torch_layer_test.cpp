// Every kind of layer with gradients against the evaluator's, and its gradient against differences.

#include "learn/train/torch_layer.h"

#include <gtest/gtest.h>

#include "learn/network/drawn_graph_test.h"
#include "learn/train/gradient_test.h"
#include "learn/train/torch_network.h"

namespace hone::learn {
namespace {

constexpr std::size_t kLayerWidth = 6;

LayerSpec layer_of(const LayerKind& kind, EdgeDirection direction) {
  return {.name = "layer",
          .kind = &kind,
          .inputs = kLayerWidth,
          .outputs = kLayerWidth,
          .activation = Activation::relu,
          .residual = Residual::added,
          .direction = direction,
          .edge_features = 2,
          .segment = 3};
}

class TorchLayers : public testing::TestWithParam<const LayerKind*> {};
INSTANTIATE_TEST_SUITE_P(Layers, TorchLayers, testing::ValuesIn(LayerKind::all()),
                         [](const auto& of) { return std::to_string(of.index); });

TEST_P(TorchLayers, ComputeWhatTheEvaluatorDoesAlsoSideBySide) {
  const DrawnGraph one(9, kLayerWidth, 2, 1), other(14, kLayerWidth, 2, 2);
  const GraphInput inputs[] = {one.input(), other.input()};
  const Batch batch = make_batch(inputs);
  for (const EdgeDirection direction : {EdgeDirection::forward, EdgeDirection::backward}) {
    NetworkSpec spec;
    spec.layers = {layer_of(*GetParam(), direction), layer_of(*GetParam(), direction)};
    spec.layers[1].name = "next";
    spec.layers[1].activation = Activation::sigmoid;
    Safetensors contents;
    draw_arrays(spec, 5, contents);
    const torch::Tensor rows = TorchNetwork(spec, contents, "test").forward(batch);
    for (std::size_t graph = 0; graph < 2; ++graph) {
      const std::vector<float> values = to_array(batch.rows_of(rows, graph)).values;
      const std::vector<float> plain = Network(spec, contents, "test").run(inputs[graph]);
      ASSERT_EQ(values.size(), plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i)
        ASSERT_NEAR(values[i], plain[i], 1e-5 * (1 + std::abs(plain[i]))) << GetParam()->name() << " " << i;
    }
  }
}

TEST_P(TorchLayers, GradientIsThatOfDifferences) {
  const DrawnGraph graph(8, kLayerWidth, 2, 3);
  Batch batch = make_batch(std::span(&graph.input(), 1));
  batch.edge_rows = batch.edge_rows.to(torch::kDouble).requires_grad_();
  batch.condition = batch.condition.to(torch::kDouble);
  const torch::Tensor rows = batch.features.to(torch::kDouble).requires_grad_();
  for (const EdgeDirection direction : {EdgeDirection::forward, EdgeDirection::backward}) {
    LayerSpec layer = layer_of(*GetParam(), direction);
    layer.segment = 8;  // all of them: what is kept of a segment before has no gradient
    Safetensors contents;
    draw_arrays({.prefix = "", .layers = {layer}, .free = {}}, 5, contents);
    std::map<std::string, torch::Tensor> parameters;
    Tensors inputs{rows};
    for (const auto& [name, array] : contents.arrays)
      inputs.push_back(parameters[name] = to_tensor(array).to(torch::kDouble).requires_grad_());
    const TorchLayer& torch_layer = TorchLayer::named(GetParam()->name());
    expect_gradient(std::string(GetParam()->name()), inputs,
                    [&] { return torch_layer.forward(layer, LayerTensors(parameters, "layer."), rows, batch); });
  }
}

TEST(SegmentAttention, LearnsNothingByWayOfTheSegmentBefore) {
  const DrawnGraph graph(6, kLayerWidth, 2, 3);
  const Batch batch = make_batch(std::span(&graph.input(), 1));
  const LayerSpec layer = layer_of(segment_attention_layer, EdgeDirection::forward);
  Safetensors contents;
  draw_arrays({.prefix = "", .layers = {layer}, .free = {}}, 5, contents);
  std::map<std::string, torch::Tensor> parameters;
  for (const auto& [name, array] : contents.arrays) parameters[name] = to_tensor(array);
  const torch::Tensor rows = batch.features.clone().requires_grad_();
  const torch::Tensor out =
      TorchLayer::named("segment-attention").forward(layer, LayerTensors(parameters, "layer."), rows, batch);
  const std::vector<std::int64_t>& sequence = batch.sequences.front();
  (out * torch::randn_like(out)).slice(0, sequence.back(), sequence.back() + 1).sum().backward();
  EXPECT_EQ(rows.grad()[sequence.front()].abs().sum().item<double>(), 0);
  EXPECT_GT(rows.grad()[sequence[4]].abs().sum().item<double>(), 0);
}

}  // namespace
}  // namespace hone::learn
