#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(MaxPoolTest, GivesIndicesInEitherOrder) {
  const Tensor x = floats({1, 9, 3, 4, 5, 6}, {1, 1, 2, 3});
  const Attributes window = {{"kernel_shape", Ints{2, 2}}};
  const auto rows = run_node({"MaxPool", 12, window, 2}, {x});
  expect_numbers(rows[0], {1, 1, 1, 2}, {9, 9});
  EXPECT_EQ(rows[1], int64s({1, 1}, {1, 1, 1, 2}));
  Attributes columns = window;
  columns.push_back({"storage_order", std::int64_t{1}});
  EXPECT_EQ(run_node({"MaxPool", 12, columns, 2}, {x})[1], int64s({2, 2}, {1, 1, 1, 2}));
}

TEST(MaxPoolTest, CeilModeLeavesOutAWindowThatBeginsBehindTheEnd) {
  const Attributes partial = {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"ceil_mode", std::int64_t{1}}};
  expect_numbers(run_node({"MaxPool", 12, partial}, {counting({1, 1, 5})})[0], {1, 1, 3}, {1, 3, 4});
  const Attributes behind = {{"kernel_shape", Ints{1}}, {"strides", Ints{2}}, {"ceil_mode", std::int64_t{1}}};
  expect_numbers(run_node({"MaxPool", 12, behind}, {counting({1, 1, 4})})[0], {1, 1, 2}, {0, 2});
}

TEST(MaxPoolTest, TakesBytesAndDilations) {
  const OneNode node = {"MaxPool", 12, {{"kernel_shape", Ints{2}}, {"dilations", Ints{2}}}};
  const Tensor x = Tensor::of<std::int8_t>({-5, 7, -9, -1}, {1, 1, 4});
  EXPECT_EQ(run_node(node, {x})[0], Tensor::of<std::int8_t>({-5, 7}, {1, 1, 2}));
}

TEST(AveragePoolTest, CountsPaddingOnlyWhenAsked) {
  const Attributes without = {{"kernel_shape", Ints{2}}, {"pads", Ints{1, 1}}};
  expect_numbers(run_node({"AveragePool", 19, without}, {floats({2, 4}, {1, 1, 2})})[0], {1, 1, 3}, {2, 3, 4});
  Attributes with = without;
  with.push_back({"count_include_pad", std::int64_t{1}});
  expect_numbers(run_node({"AveragePool", 19, with}, {floats({2, 4}, {1, 1, 2})})[0], {1, 1, 3}, {1, 3, 2});
}

TEST(AveragePoolTest, NeverCountsWhatLiesBehindThePadding) {
  const OneNode node = {"AveragePool",
                        19,
                        {{"kernel_shape", Ints{3}},
                         {"strides", Ints{2}},
                         {"ceil_mode", std::int64_t{1}},
                         {"count_include_pad", std::int64_t{1}}}};
  expect_numbers(run_node(node, {floats({1, 2, 3, 4}, {1, 1, 4})})[0], {1, 1, 2}, {2, 3.5});
}

TEST(LpPoolTest, TakesTheNormOfEachWindow) {
  const OneNode node = {"LpPool", 18, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}};
  expect_numbers(run_node(node, {floats({3, -4, 6, 8}, {1, 1, 4})})[0], {1, 1, 2}, {5, 10});
}

TEST(GlobalPoolTest, FoldsEachPlane) {
  const Tensor x = floats({3, -4, 6, 8}, {1, 2, 2});
  expect_numbers(run_node({"GlobalAveragePool"}, {x})[0], {1, 2, 1}, {-0.5, 7});
  expect_numbers(run_node({"GlobalMaxPool"}, {x})[0], {1, 2, 1}, {3, 8});
  expect_numbers(run_node({"GlobalLpPool"}, {x})[0], {1, 2, 1}, {5, 10});
}

TEST(MaxUnpoolTest, PutsElementsBackAndRefusesIndicesOutside) {
  const OneNode node = {"MaxUnpool", 11, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}};
  expect_numbers(run_node(node, {floats({5, 6}, {1, 1, 2}), int64s({1, 2}, {1, 1, 2})})[0], {1, 1, 4}, {0, 5, 6, 0});
  EXPECT_THROW(run_node(node, {floats({5, 6}, {1, 1, 2}), int64s({1, 4}, {1, 1, 2})}), InputError);
}

TEST(PoolTest, RefusesAWindowLargerThanTheInput) {
  EXPECT_THROW(inferred_type({"MaxPool", 12, {{"kernel_shape", Ints{5}}}}, {float_type({1, 1, 4})}), InputError);
  EXPECT_THROW(inferred_type({"MaxPool", 12, {{"kernel_shape", Ints{1, 1}}}}, {float_type({1, 1, 4})}), InputError);
}

}  // namespace
}  // namespace hone
