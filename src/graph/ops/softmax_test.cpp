#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(SoftmaxTest, NormalisesTheLastAxisSinceOpset13) {
  const float two = std::log(2.0f);
  const Tensor y = run_node({"Softmax", 13}, {floats({0, two, 1000, 1000}, {2, 1, 2})})[0];
  expect_numbers(y, {2, 1, 2}, {1.0 / 3, 2.0 / 3, 0.5, 0.5});
}

TEST(SoftmaxTest, FlattensFromAxisOneBeforeOpset13) {
  expect_numbers(run_node({"Softmax", 11}, {floats({0, 0, 0, 0}, {1, 2, 2})})[0], {1, 2, 2}, {0.25, 0.25, 0.25, 0.25});
  expect_numbers(run_node({"Softmax", 13, {{"axis", std::int64_t{1}}}}, {floats({0, 0, 0, 0}, {1, 2, 2})})[0],
                 {1, 2, 2}, {0.5, 0.5, 0.5, 0.5});
}

TEST(SoftmaxTest, LogOfLargeNumbersStaysFinite) {
  expect_numbers(run_node({"LogSoftmax", 13}, {floats({0, 10000}, {2})})[0], {2}, {-10000, 0});
}

TEST(SoftmaxTest, HardmaxTakesTheFirstOfEquals) {
  expect_numbers(run_node({"Hardmax", 13}, {floats({1, 3, 3, 2}, {1, 4})})[0], {1, 4}, {0, 1, 0, 0});
}

TEST(SoftmaxTest, RefusesAnAxisOutOfRange) {
  EXPECT_THROW(inferred_type({"Softmax", 13, {{"axis", std::int64_t{2}}}}, {float_type({2, 2})}), InputError);
}

}  // namespace
}  // namespace hone
