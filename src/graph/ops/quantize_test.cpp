#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(QuantizeTest, RoundsToEvenAddsTheZeroPointAndSaturates) {
  const Tensor x = floats({0, 1, 3, 5, 1000, -254, -1000}, {7});
  const Tensor y = run_one({"QuantizeLinear"}, {x, Tensor::scalar(2.0f), Tensor::scalar<std::uint8_t>(128)});
  // 0.5 and 2.5 go to 0 and 2.
  expect_numbers(y, {7}, {128, 128, 130, 130, 255, 1, 0});
}

TEST(QuantizeTest, WithoutZeroPointTheTypeIsAskedForOrUnsigned) {
  const std::vector<Tensor> inputs = {floats({-20, 3}, {2}), Tensor::scalar(1.0f)};
  EXPECT_EQ(run_one({"QuantizeLinear"}, inputs).type(), ElementType::uint8);
  const auto wanted = static_cast<std::int64_t>(ElementType::int4);
  const Tensor y = run_one({"QuantizeLinear", 24, {whole("output_dtype", wanted)}}, inputs);
  EXPECT_EQ(y.type(), ElementType::int4);
  expect_numbers(y, {2}, {-8, 3});
}

TEST(QuantizeTest, ScalesAlongAnAxis) {
  const OneNode node{"QuantizeLinear", 24, {whole("axis", -2)}};
  const Tensor y = run_one(node, {floats({10, 20, 30, 40}, {1, 2, 2}), floats({1, 10}, {2}), bytes({0, 100}, {2})});
  expect_numbers(y, {1, 2, 2}, {10, 20, 103, 104});
  EXPECT_THROW(run_one(node, {floats({10, 20}, {1, 1, 2}), floats({1, 10}, {2})}), InputError);
}

TEST(QuantizeTest, FloatEightKeepsAFraction) {
  const Tensor zero = Tensor::zeros(ElementType::float8e4m3fn, {});
  expect_numbers(run_one({"QuantizeLinear"}, {floats({1, 3, 5000}, {3}), Tensor::scalar(2.0f), zero}), {3},
                 {0.5, 1.5, 448});
}

TEST(DequantizeTest, PerTensorPerAxisAndInBlocks) {
  const Tensor x = bytes({0, 3, 128, 255}, {4});
  expect_numbers(run_one({"DequantizeLinear"}, {x, Tensor::scalar(2.0f), Tensor::scalar<std::uint8_t>(128)}), {4},
                 {-256, -250, 0, 254});
  const Tensor rows = bytes({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor by_row = run_one({"DequantizeLinear", 24, {whole("axis", 0)}}, {rows, floats({1, 10}, {2})});
  expect_numbers(by_row, {2, 3}, {1, 2, 3, 40, 50, 60});
  // Blocks of two along the last axis; the second block of a row is short.
  const OneNode blocked{"DequantizeLinear", 24, {whole("axis", 1), whole("block_size", 2)}};
  const Tensor y = run_one(blocked, {rows, floats({1, 10, 100, 1000}, {2, 2}), bytes({0, 1, 0, 1}, {2, 2})});
  expect_numbers(y, {2, 3}, {1, 2, 20, 400, 500, 5000});
  EXPECT_THROW(run_one(blocked, {rows, floats({1, 10, 100}, {3, 1})}), InputError);
}

TEST(DequantizeTest, BlocksMayLieAlongAnEarlierAxis) {
  const OneNode blocked{"DequantizeLinear", 21, {whole("axis", 0), whole("block_size", 2)}};
  const Tensor x = bytes({1, 1, 1, 1, 1, 1}, {3, 2});
  expect_numbers(run_one(blocked, {x, floats({1, 2, 3, 4}, {2, 2})}), {3, 2}, {1, 2, 1, 2, 3, 4});
}

TEST(DequantizeTest, ResultHasTheTypeOfTheScale) {
  const Tensor scale = Tensor::of<Float16>({Float16(0.5f)}, {1});
  EXPECT_EQ(run_one({"DequantizeLinear"}, {bytes({3}, {1}), scale}).type(), ElementType::float16);
}

TEST(DynamicQuantizeTest, SpreadsTheRangeOverAllCodes) {
  const std::vector<Tensor> outputs =
      run_node({"DynamicQuantizeLinear", 24, {}, 3}, {floats({0, 2, -3, -2.5f, 1.34f, 0.5f}, {6})});
  expect_numbers(outputs[0], {6}, {153, 255, 0, 26, 221, 179});
  expect_numbers(outputs[1], {}, {0.0196078438});
  expect_numbers(outputs[2], {}, {153});
}

TEST(DynamicQuantizeTest, ZerosHaveNoScale) {
  const std::vector<Tensor> outputs = run_node({"DynamicQuantizeLinear", 24, {}, 3}, {floats({0, 0}, {2})});
  expect_numbers(outputs[0], {2}, {0, 0});
  expect_numbers(outputs[1], {}, {0});
}

}  // namespace
}  // namespace hone
