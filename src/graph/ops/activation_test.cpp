#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(ActivationTest, PiecewiseLinear) {
  const Tensor x = floats({-2, 0, 1, kNaN}, {4});
  expect_numbers(run_one({"Relu"}, {x}), {4}, {0, 0, 1, kNaN});
  expect_numbers(run_one({"LeakyRelu"}, {x}), {4}, {-0.02, 0, 1, kNaN});
  expect_numbers(run_one({"HardSigmoid"}, {floats({-9, 0, 1, 9}, {4})}), {4}, {0, 0.5, 0.7, 1});
  expect_numbers(run_one({"HardSwish"}, {floats({-4, -1, 0, 4}, {4})}), {4}, {0, -1.0 / 3, 0, 4});
  expect_numbers(run_one({"ThresholdedRelu"}, {floats({0.5f, 1, 2}, {3})}), {3}, {0, 0, 2});
  expect_numbers(run_one({"Relu"}, {Tensor::of<std::int8_t>({-3, 4}, {2})}), {2}, {0, 4});
}

TEST(ActivationTest, Exponential) {
  const Tensor x = floats({-1, 0, 2}, {3});
  const double below = std::expm1(-1.0);
  expect_numbers(run_one({"Elu", 24, {attribute("alpha", 2.0f)}}, {x}), {3}, {2 * below, 0, 2});
  expect_numbers(run_one({"Selu"}, {x}), {3}, {1.05070102 * 1.67326319 * below, 0, 2.10140204});
  expect_numbers(run_one({"Celu", 24, {attribute("alpha", 2.0f)}}, {x}), {3}, {2 * std::expm1(-0.5), 0, 2});
  expect_numbers(run_one({"Sigmoid"}, {floats({-1000, 0, 1000}, {3})}), {3}, {0, 0.5, 1});
  expect_numbers(run_one({"Softplus"}, {floats({-1000, 0, 1000}, {3})}), {3}, {0, std::log(2.0), 1000});
  expect_numbers(run_one({"Softsign"}, {floats({-3, 1}, {2})}), {2}, {-0.75, 0.5});
  expect_numbers(run_one({"Mish"}, {floats({0, 1}, {2})}), {2}, {0, 0.8650984});
  expect_numbers(run_one({"Swish", 24, {attribute("alpha", 2.0f)}}, {floats({1}, {1})}), {1}, {0.8807971});
}

TEST(ActivationTest, GeluExactAndByTanh) {
  const Tensor x = floats({-1, 0, 1}, {3});
  expect_numbers(run_one({"Gelu"}, {x}), {3}, {-0.15865525, 0, 0.84134475});
  expect_numbers(run_one({"Gelu", 24, {attribute("approximate", std::string("tanh"))}}, {x}), {3},
                 {-0.158808, 0, 0.841192});
  EXPECT_THROW(run_one({"Gelu", 24, {attribute("approximate", std::string("sigmoid"))}}, {x}), InputError);
}

TEST(ActivationTest, PReluBroadcastsItsSlopeOneWay) {
  const Tensor x = floats({-1, 2, -3, -4}, {2, 2});
  expect_numbers(run_one({"PRelu"}, {x, floats({10, 100}, {2})}), {2, 2}, {-10, 2, -30, -400});
  // Opset 6 has one slope for each channel.
  const Tensor image = floats({-1, -2, -3, -4}, {1, 2, 2});
  expect_numbers(run_one({"PRelu", 6}, {image, floats({10, 100}, {2})}), {1, 2, 2}, {-10, -20, -300, -400});
  EXPECT_THROW(run_one({"PRelu"}, {floats({1}, {1}), floats({1, 2}, {2})}), InputError);
}

TEST(ActivationTest, ShrinkTrimsTowardZero) {
  const OneNode node{"Shrink", 24, {attribute("lambd", 1.5f), attribute("bias", 1.0f)}};
  expect_numbers(run_one(node, {floats({-2, -1, 0, 1, 2}, {5})}), {5}, {-1, 0, 0, 0, 1});
}

TEST(ClipTest, BoundsAreInputsFromOpsetElevenOn) {
  const Tensor x = floats({-5, 0, 5, kNaN}, {4});
  expect_numbers(run_one({"Clip"}, {x, Tensor::scalar(-1.0f), Tensor::scalar(2.0f)}), {4}, {-1, 0, 2, kNaN});
  expect_numbers(run_one({"Clip"}, {x, Tensor(), Tensor::scalar(2.0f)}), {4}, {-5, 0, 2, kNaN});
  expect_numbers(run_one({"Clip"}, {x}), {4}, {-5, 0, 5, kNaN});
  expect_numbers(run_one({"Clip", 6, {attribute("max", 1.0f)}}, {x}), {4}, {-5, 0, 1, kNaN});
}

TEST(ClipTest, TheUpperBoundWinsWhereTheyCross) {
  expect_numbers(run_one({"Clip"}, {floats({0}, {1}), Tensor::scalar(2.0f), Tensor::scalar(1.0f)}), {1}, {1});
}

TEST(ClipTest, ClipsIntegersExactly) {
  const Tensor x = int64s({INT64_MAX, INT64_MIN}, {2});
  const Tensor y =
      run_one({"Clip"}, {x, Tensor::scalar<std::int64_t>(-5), Tensor::scalar<std::int64_t>(INT64_MAX - 1)});
  EXPECT_EQ(y.integers(), (std::vector<std::int64_t>{INT64_MAX - 1, -5}));
}

TEST(DropoutTest, InferenceIsTheIdentity) {
  const std::vector<Tensor> outputs = run_node({"Dropout", 24, {}, 2}, {counting({3})});
  expect_numbers(outputs[0], {3}, {0, 1, 2});
  EXPECT_EQ(outputs[1].type(), ElementType::boolean);
  expect_numbers(outputs[1], {3}, {1, 1, 1});
  EXPECT_EQ(run_node({"Dropout", 7, {}, 2}, {counting({3})})[1].type(), ElementType::float32);
}

TEST(DropoutTest, TrainingDropsAShareAndScalesTheRest) {
  Tensor x = Tensor::zeros(ElementType::float32, {10000});
  for (float& element : x.write<float>()) element = 3;
  const std::vector<Tensor> outputs =
      run_node({"Dropout", 24, {}, 2}, {x, Tensor::scalar(0.25f), Tensor::scalar(true)});
  std::size_t kept = 0;
  for (std::size_t i = 0; i < x.count(); ++i) {
    EXPECT_EQ(outputs[0].number_at(i), outputs[1].number_at(i) != 0 ? 4 : 0);
    kept += outputs[1].number_at(i) != 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(kept), 7500, 200);
  EXPECT_THROW(run_node({"Dropout"}, {x, Tensor::scalar(1.5f), Tensor::scalar(true)}), InputError);
}

TEST(TrigonometryTest, RoundsOnceFromDouble) {
  expect_numbers(run_one({"Sin"}, {floats({0, 1}, {2})}), {2}, {0, 0.84147098});
  expect_numbers(run_one({"Acos"}, {floats({1, 2}, {2})}), {2}, {0, kNaN});
  const Tensor half = run_one({"Tanh"}, {Tensor::of<Float16>({Float16(0.5f)}, {1})});
  EXPECT_EQ(half.values<Float16>()[0].bits, Float16(0.46211715726f).bits);
  EXPECT_THROW(run_one({"Cos"}, {int64s({1}, {1})}), InputError);
}

}  // namespace
}  // namespace hone
