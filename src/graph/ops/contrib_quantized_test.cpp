#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

Tensor scale(float value) { return Tensor::scalar(value); }
Tensor zero(std::uint8_t value) { return Tensor::scalar(value); }

TEST(QLinearAddTest, AddsWhatTheIntegersStandFor) {
  const Tensor sum = run_node(contrib("QLinearAdd"), {bytes({10, 255}, {2}), scale(0.5f), zero(0), bytes({4}, {1}),
                                                      scale(1), zero(2), scale(1), zero(3)})[0];
  EXPECT_EQ(sum, bytes({10, 133}, {2}));  // 129.5 rounds to even
}

TEST(QLinearMulTest, Saturates) {
  EXPECT_EQ(run_node(contrib("QLinearMul"), {bytes({100}, {1}), scale(1), zero(0), bytes({100}, {1}), scale(1), zero(0),
                                             scale(1), zero(0)})[0],
            bytes({255}, {1}));
}

TEST(QLinearConcatTest, BringsPartsToOneScale) {
  const Tensor result =
      run_node(contrib("QLinearConcat", {{.name = "axis", .value = std::int64_t{0}}}),
               {scale(1), zero(1), bytes({4}, {1}), scale(0.5f), zero(0), bytes({4}, {1}), scale(2), zero(2)})[0];
  EXPECT_EQ(result, bytes({3, 5}, {2}));
}

TEST(QLinearGlobalAveragePoolTest, HandlesChannelsAtTheBack) {
  const OneNode node = contrib("QLinearGlobalAveragePool", {{.name = "channels_last", .value = std::int64_t{1}}});
  const Tensor x = bytes({1, 10, 3, 30}, {1, 1, 2, 2});
  EXPECT_EQ(run_node(node, {x, scale(1), zero(0), scale(1), zero(0)})[0], bytes({2, 20}, {1, 1, 1, 2}));
}

TEST(DynamicQuantizeMatMulTest, RoundsTheLeftFactorToItsRange) {
  const Tensor b = Tensor::of<std::int8_t>({1, 2}, {2, 1});
  expect_numbers(run_node(contrib("DynamicQuantizeMatMul"), {floats({0.4f, 255}, {1, 2}), b, scale(0.5f)})[0], {1, 1},
                 {255});
}

TEST(MatMulIntegerToFloatTest, ScalesTheProduct) {
  expect_numbers(run_node(contrib("MatMulIntegerToFloat"), {bytes({3, 5}, {1, 2}), bytes({1, 2}, {2, 1}), scale(0.5f),
                                                            scale(2), zero(1), zero(0), floats({10}, {1})})[0],
                 {1, 1}, {20});
}

TEST(MatMulNBitsTest, UnpacksLowBitsFirst) {
  const OneNode node = contrib("MatMulNBits", {{.name = "K", .value = std::int64_t{16}},
                                               {.name = "N", .value = std::int64_t{1}},
                                               {.name = "block_size", .value = std::int64_t{16}}});
  const Tensor weights = bytes({0x9A, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88}, {1, 1, 8});
  Tensor a = Tensor::zeros(ElementType::float32, {2, 16});
  a.write<float>()[0] = 1;
  a.write<float>()[17] = 1;
  expect_numbers(run_node(node, {a, weights, floats({0.5f}, {1})})[0], {2, 1}, {1, 0.5});
  expect_numbers(run_node(node, {a, weights, floats({0.5f}, {1}), bytes({0x09}, {1})})[0], {2, 1}, {0.5, 0});
}

}  // namespace
}  // namespace hone
