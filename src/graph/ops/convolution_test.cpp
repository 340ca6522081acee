#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

Tensor ones(Dims dims) {
  Tensor tensor = Tensor::zeros(ElementType::float32, std::move(dims));
  for (float& x : tensor.write<float>()) x = 1;
  return tensor;
}

TEST(ConvTest, SumsWindowsWithAsymmetricPads) {
  const OneNode node = {"Conv", 22, {{"pads", Ints{1, 0, 0, 0}}}};
  const Tensor y = run_node(node, {counting({1, 1, 3, 3}), ones({1, 1, 2, 2}), floats({0.5f}, {1})})[0];
  expect_numbers(y, {1, 1, 3, 2}, {1.5, 3.5, 8.5, 12.5, 20.5, 24.5});
}

TEST(ConvTest, KeepsGroupsApart) {
  const OneNode node = {"Conv", 11, {{"group", std::int64_t{2}}}};
  const Tensor y = run_node(node, {floats({1, 2, 10, 20}, {1, 2, 2}), floats({1, 2, 3, 4}, {4, 1, 1})})[0];
  expect_numbers(y, {1, 4, 2}, {1, 2, 2, 4, 30, 60, 40, 80});
}

TEST(ConvTest, StridesAndDilates) {
  const OneNode node = {"Conv", 11, {{"strides", Ints{2}}, {"dilations", Ints{2}}}};
  expect_numbers(run_node(node, {counting({1, 1, 7}), ones({1, 1, 2})})[0], {1, 1, 3}, {2, 6, 10});
}

TEST(ConvTest, SamePaddingPutsTheOddOneWhereTheRuleSays) {
  const Tensor x = counting({1, 1, 4}), w = ones({1, 1, 2});
  expect_numbers(run_node({"Conv", 11, {{"auto_pad", std::string("SAME_UPPER")}}}, {x, w})[0], {1, 1, 4}, {1, 3, 5, 3});
  expect_numbers(run_node({"Conv", 11, {{"auto_pad", std::string("SAME_LOWER")}}}, {x, w})[0], {1, 1, 4}, {0, 1, 3, 5});
}

TEST(ConvTest, WorksInThreeDimensions) {
  expect_numbers(run_node({"Conv"}, {ones({1, 2, 2, 2, 2}), ones({1, 2, 2, 2, 2})})[0], {1, 1, 1, 1, 1}, {16});
}

TEST(ConvTest, AgreesWithItselfOverManyBlocksOfWindows) {
  const Tensor y = run_node({"Conv"}, {counting({1, 1, 40, 40}), ones({1, 1, 1, 1})})[0];
  EXPECT_EQ(y, counting({1, 1, 40, 40}));
}

TEST(ConvTest, InfersSymbolicSpatialDims) {
  const OneNode node = {"Conv", 22, {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}};
  const Type x = float_type({Dim::symbol("N"), 3, Dim::symbol("H"), 224});
  const std::string inferred = inferred_type(node, {x, float_type({64, 3, 3, 3})});
  EXPECT_TRUE(inferred.starts_with("float[N,64,")) << inferred;
  EXPECT_TRUE(inferred.ends_with(",112]")) << inferred;
}

TEST(ConvTest, RefusesWhatCannotFit) {
  EXPECT_THROW(inferred_type({"Conv"}, {float_type({1, 4, 5}), float_type({2, 3, 3})}), InputError);
  EXPECT_THROW(inferred_type({"Conv"}, {float_type({1, 3, 2}), float_type({2, 3, 3})}), InputError);
  const OneNode negative = {"Conv", 22, {{"strides", Ints{0}}}};
  EXPECT_THROW(run_node(negative, {counting({1, 1, 4}), ones({1, 1, 2})}), InputError);
}

TEST(ConvIntegerTest, PadsWithTheZeroPoint) {
  const OneNode node = {"ConvInteger", 10, {{"pads", Ints{1, 1}}}};
  const Tensor y = run_node(node, {bytes({3, 4}, {1, 1, 2}), bytes({1, 1}, {1, 1, 2}), bytes({2}, {})})[0];
  EXPECT_EQ(y, Tensor::of<std::int32_t>({1, 3, 2}, {1, 1, 3}));
}

TEST(QLinearConvTest, ScalesByFilter) {
  const Tensor half = floats({0.5f}, {}), zero = bytes({0}, {});
  const Tensor y =
      run_node({"QLinearConv", 10}, {bytes({10, 20}, {1, 1, 2}), half, zero, bytes({1, 1}, {2, 1, 1}),
                                     floats({1, 2}, {2}), bytes({0, 0}, {2}), floats({1}, {}), bytes({1}, {})})[0];
  EXPECT_EQ(y, bytes({6, 11, 11, 21}, {1, 2, 2}));
}

TEST(ConvTransposeTest, SpreadsWithStrideAndOutputPadding) {
  const OneNode node = {"ConvTranspose", 11, {{"strides", Ints{2}}, {"output_padding", Ints{1}}}};
  const Tensor y = run_node(node, {floats({1, 2}, {1, 1, 2}), floats({1, 10, 100}, {1, 1, 3}), floats({1000}, {1})})[0];
  expect_numbers(y, {1, 1, 6}, {1001, 1010, 1102, 1020, 1200, 1000});
}

TEST(ConvTransposeTest, PadsAndOutputShapeCutTheEnds) {
  const Tensor x = floats({1, 2}, {1, 1, 2}), w = floats({1, 10, 100}, {1, 1, 3});
  expect_numbers(run_node({"ConvTranspose", 11, {{"pads", Ints{1, 0}}}}, {x, w})[0], {1, 1, 3}, {12, 120, 200});
  expect_numbers(run_node({"ConvTranspose", 11, {{"output_shape", Ints{3}}}}, {x, w})[0], {1, 1, 3}, {12, 120, 200});
}

TEST(ConvTransposeTest, KeepsGroupsApart) {
  const OneNode node = {"ConvTranspose", 11, {{"group", std::int64_t{2}}}};
  const Tensor y = run_node(node, {floats({1, 2}, {1, 2, 1}), floats({1, 10, 2, 20}, {2, 1, 2})})[0];
  expect_numbers(y, {1, 2, 2}, {1, 10, 4, 40});
}

}  // namespace
}  // namespace hone
