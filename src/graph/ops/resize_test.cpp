#include <gtest/gtest.h>

#include "graph/ops/single_node_test.h"

namespace hone {
namespace {

void expect_near(const Tensor& found, const Tensor& wanted) {
  ASSERT_EQ(found.dims(), wanted.dims());
  for (std::size_t i = 0; i < wanted.count(); ++i) EXPECT_NEAR(found.number_at(i), wanted.number_at(i), 1e-5) << i;
}

/// A line of four elements resized to `size`.
SingleNode line(std::int64_t size, Attributes attributes) {
  return {.op = "Resize",
          .opset = 19,
          .inputs = {floats({1, 2, 3, 4}, {4}), std::nullopt, std::nullopt, indices({size})},
          .attributes = std::move(attributes)};
}

TEST(ResizeTest, TakesTheNearestByMode) {
  const auto nearest = [](const char* coordinates, const char* rounding) {
    return line(6, {choice("coordinate_transformation_mode", coordinates), choice("nearest_mode", rounding)}).run();
  };
  EXPECT_EQ(nearest("asymmetric", "floor"), floats({1, 1, 2, 3, 3, 4}, {6}));
  EXPECT_EQ(nearest("asymmetric", "ceil"), floats({1, 2, 3, 3, 4, 4}, {6}));
  EXPECT_EQ(nearest("align_corners", "round_prefer_floor"), floats({1, 2, 2, 3, 3, 4}, {6}));
  EXPECT_EQ(nearest("half_pixel", "round_prefer_ceil"), floats({1, 2, 2, 3, 4, 4}, {6}));
  EXPECT_THROW(nearest("half_pixel", "up"), InputError);
  EXPECT_THROW(nearest("quarter_pixel", "floor"), InputError);
}

TEST(ResizeTest, InterpolatesLinearly) {
  expect_near(line(8, {choice("mode", "linear")}).run(), floats({1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4}, {8}));
  expect_near(line(7, {choice("mode", "linear"), choice("coordinate_transformation_mode", "align_corners")}).run(),
              floats({1, 1.5, 2, 2.5, 3, 3.5, 4}, {7}));
  expect_near(line(1, {choice("mode", "linear"), choice("coordinate_transformation_mode", "pytorch_half_pixel")}).run(),
              floats({1}, {1}));
}

TEST(ResizeTest, InterpolatesWithCubics) {
  // At half-way points the weights are -3/32, 19/32, 19/32, -3/32.
  const Tensor found =
      line(7, {choice("mode", "cubic"), choice("coordinate_transformation_mode", "align_corners")}).run();
  EXPECT_NEAR(found.number_at(3), 2.5, 1e-6);
  EXPECT_NEAR(found.number_at(1), (-3 * 1 + 19 * 1 + 19 * 2 - 3 * 3) / 32.0, 1e-6);
  const Tensor inside = line(7, {choice("mode", "cubic"), choice("coordinate_transformation_mode", "align_corners"),
                                 attribute("exclude_outside", std::int64_t{1})})
                            .run();
  EXPECT_NEAR(inside.number_at(1), (19 * 1 + 19 * 2 - 3 * 3) / 35.0, 1e-6);
}

TEST(ResizeTest, AntialiasAveragesWhatItSkips) {
  // The widened triangle at 0.5 reaches over -1 to 2 with weights 1/8, 3/8, 3/8, 1/8.
  expect_near(line(2, {choice("mode", "linear"), attribute("antialias", std::int64_t{1})}).run(),
              floats({(1 + 3 + 6 + 3) / 8.0f, (2 + 9 + 12 + 4) / 8.0f}, {2}));
}

TEST(ResizeTest, AntialiasGivesThePublishedExample) {
  SingleNode node{.op = "Resize",
                  .inputs = {counting({4, 4}), std::nullopt, floats({0.6f, 0.6f}, {2})},
                  .attributes = {attribute("antialias", std::int64_t{1}), choice("mode", "linear")}};
  expect_near(node.run(), floats({1.875, 3.5, 8.375, 10}, {2, 2}));
  node.attributes.back() = choice("mode", "cubic");
  expect_near(node.run(), floats({1.5180721f, 3.2858863f, 8.589329f, 10.357142f}, {2, 2}));
}

TEST(ResizeTest, CropsAndExtrapolates) {
  const SingleNode node{
      .op = "Resize",
      .inputs = {floats({0, 1, 2}, {3}), floats({0.5, 1.5}, {2}), std::nullopt, indices({3})},
      .attributes = {choice("mode", "linear"), choice("coordinate_transformation_mode", "tf_crop_and_resize"),
                     attribute("extrapolation_value", 9.0f)}};
  expect_near(node.run(), floats({1, 2, 9}, {3}));
}

TEST(ResizeTest, SymmetricHalfPixelsKeepTheCenter) {
  const SingleNode node{
      .op = "Resize",
      .inputs = {floats({1, 2, 3, 4}, {4}), std::nullopt, floats({0.6f}, {1})},
      .attributes = {choice("mode", "linear"), choice("coordinate_transformation_mode", "half_pixel_symmetric")}};
  expect_near(node.run(), floats({5 / 3.0f, 10 / 3.0f}, {2}));
}

TEST(ResizeTest, KeepsTheAspectRatioOverItsAxes) {
  const auto sized = [](const char* policy) {
    return SingleNode{.op = "Resize",
                      .inputs = {counting({1, 2, 4}), std::nullopt, std::nullopt, indices({5, 6})},
                      .attributes = {choice("keep_aspect_ratio_policy", policy),
                                     attribute("axes", std::vector<std::int64_t>{-2, -1})}};
  };
  EXPECT_EQ(sized("not_larger").run().dims(), (Dims{1, 3, 6}));
  EXPECT_EQ(sized("not_smaller").run().dims(), (Dims{1, 5, 10}));
  EXPECT_EQ(sized("not_smaller").inferred(), "float[1,5,10]");
  EXPECT_EQ(sized("stretch").inferred({Dim::symbol("n"), 2, Dim::symbol("w")}), "float[n,5,6]");
  EXPECT_EQ(sized("not_larger").inferred({Dim::symbol("n"), 2, Dim::symbol("w")}), "float[n,?,?]");
}

TEST(ResizeTest, InfersSymbolicDimsFromWholeScales) {
  const SingleNode node{.op = "Resize", .inputs = {counting({1, 4, 4}), std::nullopt, floats({1, 2, 0.5}, {3})}};
  EXPECT_EQ(node.inferred({Dim::symbol("n"), Dim::symbol("h"), 5}), "float[n,2*h,2]");
  EXPECT_EQ(node.run().dims(), (Dims{1, 8, 2}));
}

TEST(ResizeTest, RefusesScalesThatAreNoScales) {
  SingleNode node{.op = "Resize", .inputs = {counting({4}), std::nullopt, floats({-1}, {1})}};
  EXPECT_THROW(node.run(), InputError);
  node.inputs[2] = floats({1, 1}, {2});
  EXPECT_THROW(node.run(), InputError);
  EXPECT_THROW(node.inferred(), InputError);
}

TEST(ResizeTest, MovesStringsAndRoundsIntegers) {
  const SingleNode texts{.op = "Resize",
                         .inputs = {Tensor::of<std::string>({"a", "b"}, {2}), std::nullopt, floats({2}, {1})}};
  EXPECT_EQ(texts.run(), Tensor::of<std::string>({"a", "a", "b", "b"}, {4}));
  const SingleNode bytes{.op = "Resize",
                         .inputs = {Tensor::of<std::uint8_t>({0, 255}, {2}), std::nullopt, floats({2}, {1})},
                         .attributes = {choice("mode", "linear")}};
  EXPECT_EQ(bytes.run(), Tensor::of<std::uint8_t>({0, 64, 191, 255}, {4}));
}

TEST(ResizeTest, OfOpset10ShrinksByCeiling) {
  const SingleNode node{.op = "Resize", .opset = 10, .inputs = {floats({1, 2, 3, 4}, {4}), floats({0.6f}, {1})}};
  EXPECT_EQ(node.run(), floats({1, 3}, {2}));
}

TEST(UpsampleTest, RepeatsElements) {
  const SingleNode attributes{.op = "Upsample",
                              .opset = 7,
                              .inputs = {counting({1, 2})},
                              .attributes = {attribute("scales", std::vector<float>{2, 2})}};
  EXPECT_EQ(attributes.run(), floats({0, 0, 1, 1, 0, 0, 1, 1}, {2, 4}));
  EXPECT_EQ(attributes.inferred({1, Dim::symbol("w")}), "float[2,2*w]");
  const SingleNode input{.op = "Upsample",
                         .opset = 9,
                         .inputs = {counting({2}), floats({2}, {1})},
                         .attributes = {choice("mode", "linear")}};
  expect_near(input.run(), floats({0, 0.5, 1, 1}, {4}));
}

}  // namespace
}  // namespace hone
