#include <gtest/gtest.h>

#include <cmath>

#include "graph/ops/single_node_test.h"

namespace hone {
namespace {

/// A 2x2 image of 0, 1, 2, 3 sampled at points given as x, y.
SingleNode sampled(Tensor grid, Attributes attributes) {
  return {.op = "GridSample",
          .opset = 20,
          .inputs = {counting({1, 1, 2, 2}), std::move(grid)},
          .attributes = std::move(attributes)};
}

TEST(GridSampleTest, InterpolatesBetweenCorners) {
  const Tensor grid = floats({-1, -1, 1, -1, 0, 0}, {1, 1, 3, 2});
  EXPECT_EQ(sampled(grid, {attribute("align_corners", std::int64_t{1})}).run(), floats({0, 1, 1.5}, {1, 1, 1, 3}));
  // Without aligned corners, -1 lies half an element outside.
  EXPECT_EQ(sampled(grid, {}).run(), floats({0, 0.25, 1.5}, {1, 1, 1, 3}));
  EXPECT_EQ(sampled(grid, {choice("padding_mode", "border")}).run(), floats({0, 1, 1.5}, {1, 1, 1, 3}));
}

TEST(GridSampleTest, PadsOutside) {
  const Tensor grid = floats({-2, 0.5, 1.75, 0.5}, {1, 1, 2, 2});
  EXPECT_EQ(sampled(grid, {choice("mode", "nearest")}).run(), floats({0, 0}, {1, 1, 1, 2}));
  EXPECT_EQ(sampled(grid, {choice("mode", "nearest"), choice("padding_mode", "border")}).run(),
            floats({2, 3}, {1, 1, 1, 2}));
  EXPECT_EQ(sampled(grid, {choice("mode", "nearest"), choice("padding_mode", "reflection")}).run(),
            floats({3, 3}, {1, 1, 1, 2}));
}

TEST(GridSampleTest, SurvivesWhatIsNoNumber) {
  const Tensor grid = floats({NAN, INFINITY, 1e30f, -INFINITY}, {1, 1, 2, 2});
  for (const char* padding : {"zeros", "border", "reflection"})
    for (const char* mode : {"nearest", "linear", "cubic"})
      EXPECT_EQ(sampled(grid, {choice("mode", mode), choice("padding_mode", padding)}).run().count(), 2u);
}

TEST(GridSampleTest, SamplesVolumesFromOpset20) {
  const SingleNode node{.op = "GridSample",
                        .opset = 20,
                        .inputs = {counting({1, 1, 2, 2, 2}), floats({0, 0, 0, 1, -1, 1}, {1, 1, 1, 2, 3})},
                        .attributes = {attribute("align_corners", std::int64_t{1})}};
  EXPECT_EQ(node.run(), floats({3.5, 5}, {1, 1, 1, 1, 2}));
  SingleNode old = node;
  old.opset = 16;
  EXPECT_THROW(old.run(), InputError);
}

TEST(AffineGridTest, OfTheIdentityGivesTheCenters) {
  SingleNode node{
      .op = "AffineGrid", .opset = 20, .inputs = {floats({1, 0, 0, 0, 1, 0}, {1, 2, 3}), indices({1, 1, 1, 2})}};
  EXPECT_EQ(node.run(), floats({-0.5, 0, 0.5, 0}, {1, 1, 2, 2}));
  node.inputs[0] = floats({1, 0, 0, 0, 1, 3}, {1, 2, 3});
  node.inputs[1] = indices({1, 1, 2, 2});
  node.attributes = {attribute("align_corners", std::int64_t{1})};
  EXPECT_EQ(node.run(), floats({-1, 2, 1, 2, -1, 4, 1, 4}, {1, 2, 2, 2}));
}

TEST(CenterCropPadTest, CropsAndPadsAroundTheCenter) {
  const SingleNode node{.op = "CenterCropPad", .inputs = {counting({1, 4}), indices({2, 1})}};
  EXPECT_EQ(node.run(), floats({1, 0}, {2, 1}));
  const SingleNode axes{.op = "CenterCropPad",
                        .inputs = {counting({2, 2}), indices({5})},
                        .attributes = {attribute("axes", std::vector<std::int64_t>{-1})}};
  EXPECT_EQ(axes.run(), floats({0, 0, 1, 0, 0, 0, 2, 3, 0, 0}, {2, 5}));
  EXPECT_EQ(axes.inferred({Dim::symbol("n"), 2}), "float[n,5]");
}

TEST(Col2ImTest, AddsOverlappingPatches) {
  // Blocks of 2 at stride 1 over 3 elements: columns are block positions, rows are patches.
  SingleNode node{.op = "Col2Im", .inputs = {floats({1, 2, 3, 4}, {1, 2, 2}), indices({3}), indices({2})}};
  EXPECT_EQ(node.run(), floats({1, 5, 4}, {1, 1, 3}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 2, 2}), "float[n,1,3]");
  node.attributes = {attribute("pads", std::vector<std::int64_t>{1, 0})};
  EXPECT_THROW(node.run(), InputError);
}

}  // namespace
}  // namespace hone
