#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

using Texts = std::vector<std::string>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(RNNTest, RunsBothWaysAndStopsAtEachSequencesEnd) {
  const OneNode node = {"RNN",
                        14,
                        {{"direction", std::string("bidirectional")},
                         {"activations", Texts{"Affine", "Relu"}},
                         {"activation_alpha", std::vector<float>{2}},
                         {"hidden_size", std::int64_t{1}}},
                        2};
  const Tensor x = floats({1, 10, 2, 20}, {2, 2, 1}), one = floats({1, 1}, {2, 1, 1});
  const auto outputs = run_node(node, {x, one, one, kNone, Tensor::of<std::int32_t>({2, 1}, {2})});
  // Forwards h = 2 (x + h); backwards h = x + h. The second sample is one step long.
  expect_numbers(outputs[0], {2, 2, 2, 1}, {2, 20, 3, 10, 8, 0, 2, 0});
  expect_numbers(outputs[1], {2, 2, 1}, {8, 20, 3, 10});
}

TEST(RNNTest, BatchFirstLayoutSwapsAxes) {
  const OneNode node = {
      "RNN", 14, {{"activations", Texts{"Affine"}}, {"layout", std::int64_t{1}}, {"hidden_size", std::int64_t{1}}}, 2};
  const Tensor x = floats({1, 2, 10, 20}, {2, 2, 1}), one = floats({1}, {1, 1, 1});
  const auto outputs = run_node(node, {x, one, one, kNone, kNone, floats({100, 200}, {2, 1, 1})});
  expect_numbers(outputs[0], {2, 2, 1, 1}, {101, 103, 210, 230});
  expect_numbers(outputs[1], {2, 1, 1}, {103, 230});
}

TEST(RNNTest, ClipBoundsWhatActivationsGet) {
  const OneNode node = {"RNN", 14, {{"activations", Texts{"Affine"}}, {"clip", 5.0f}}};
  expect_numbers(run_node(node, {floats({100, -100}, {2, 1, 1}), floats({1}, {1, 1, 1}), floats({0}, {1, 1, 1})})[0],
                 {2, 1, 1, 1}, {5, -5});
}

TEST(GRUTest, ResetsBeforeOrAfterTheProduct) {
  const Tensor x = floats({1}, {1, 1, 1}), w = floats({0, 0, 1}, {1, 3, 1}), r = floats({0, 0, 2}, {1, 3, 1});
  const Tensor bias = floats({0, 0, 0, 0, 0, 3}, {1, 6}), start = floats({1}, {1, 1, 1});
  // Both gates are one half.
  const double before = 0.5 * std::tanh(1 + 2 * 0.5 + 3) + 0.5, after = 0.5 * std::tanh(1 + 0.5 * (2 + 3)) + 0.5;
  expect_numbers(run_node({"GRU", 14}, {x, w, r, bias, kNone, start})[0], {1, 1, 1, 1}, {before});
  const OneNode linear = {"GRU", 14, {{"linear_before_reset", std::int64_t{1}}}};
  expect_numbers(run_node(linear, {x, w, r, bias, kNone, start})[0], {1, 1, 1, 1}, {after});
}

TEST(LSTMTest, UsesPeepholesAndKeepsItsCell) {
  const Tensor x = floats({1}, {1, 1, 1}), w = floats({1, 2, 3, 4}, {1, 4, 1}), r = floats({0, 0, 0, 0}, {1, 4, 1});
  const Tensor cell = floats({0.5f}, {1, 1, 1}), peepholes = floats({1, 2, 3}, {1, 3});
  const auto outputs = run_node({"LSTM", 14, {}, 3}, {x, w, r, kNone, kNone, kNone, cell, peepholes});
  const double c = sigmoid(3 + 3 * 0.5) * 0.5 + sigmoid(1 + 0.5) * std::tanh(4.0);
  const double h = sigmoid(2 + 2 * c) * std::tanh(c);
  expect_numbers(outputs[0], {1, 1, 1, 1}, {h});
  expect_numbers(outputs[1], {1, 1, 1}, {h});
  expect_numbers(outputs[2], {1, 1, 1}, {c});
}

TEST(LSTMTest, InfersSymbolicLengthAndBatch) {
  const OneNode node = {"LSTM", 14, {{"hidden_size", std::int64_t{5}}, {"direction", std::string("bidirectional")}}};
  const Type x = float_type({Dim::symbol("length"), Dim::symbol("batch"), 3});
  EXPECT_EQ(inferred_type(node, {x, float_type({2, 20, 3}), float_type({2, 20, 5})}), "float[length,2,batch,5]");
}

TEST(LSTMTest, RefusesWeightsAndActivationsThatDoNotFit) {
  const Tensor x = floats({1}, {1, 1, 1}), w = floats({1, 2, 3, 4}, {1, 4, 1});
  EXPECT_THROW(run_node({"LSTM", 14}, {x, w, floats({0}, {1, 1, 1})}), InputError);
  const OneNode unknown = {"LSTM", 14, {{"activations", Texts{"Sigmoid", "Tanh", "Magic"}}}};
  EXPECT_THROW(run_node(unknown, {x, w, w}), InputError);
}

}  // namespace
}  // namespace hone
