#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(RoiAlignTest, AveragesSamplesBetweenPixels) {
  const Attributes two = {
      {"output_height", std::int64_t{1}}, {"output_width", std::int64_t{2}}, {"sampling_ratio", std::int64_t{1}}};
  const Tensor x = counting({1, 1, 2, 4}), rois = floats({0, 0, 2, 1}, {1, 4}), image = int64s({0}, {1});
  // Old coordinates sample at (0.5, 0.5) and (0.5, 1.5); half-pixel ones half a pixel up and left.
  expect_numbers(run_node({"RoiAlign", 10, two}, {x, rois, image})[0], {1, 1, 1, 2}, {2.5, 3.5});
  expect_numbers(run_node({"RoiAlign", 16, two}, {x, rois, image})[0], {1, 1, 1, 2}, {0, 1});
  EXPECT_THROW(run_node({"RoiAlign", 16, two}, {x, rois, int64s({1}, {1})}), InputError);
}

TEST(MaxRoiPoolTest, TakesTheGreatestOfEachBin) {
  const OneNode node = {"MaxRoiPool", 1, {{"pooled_shape", Ints{1, 2}}}};
  expect_numbers(run_node(node, {counting({1, 1, 2, 4}), floats({0, 0, 0, 3, 1}, {1, 5})})[0], {1, 1, 1, 2}, {5, 7});
}

TEST(NonMaxSuppressionTest, KeepsTheBestOfOverlappingBoxes) {
  const Tensor boxes = floats({0, 0, 1, 1, 1, 1, 0.1f, 0, 5, 5, 6, 6}, {1, 3, 4}),
               scores = floats({0.8f, 0.9f, 0.3f}, {1, 1, 3});
  const Tensor most = int64s({3}, {1}), overlap = floats({0.5f}, {1});
  EXPECT_EQ(run_node({"NonMaxSuppression", 11}, {boxes, scores, most, overlap})[0], int64s({0, 0, 1, 0, 0, 2}, {2, 3}));
  EXPECT_EQ(run_node({"NonMaxSuppression", 11}, {boxes, scores, most, overlap, floats({0.5f}, {1})})[0],
            int64s({0, 0, 1}, {1, 3}));
  EXPECT_EQ(run_node({"NonMaxSuppression", 11}, {boxes, scores})[0].dims(), (Dims{0, 3}));
}

TEST(DeformConvTest, ReadsBetweenElementsAndMasks) {
  const Tensor x = counting({1, 1, 2, 2}), w = floats({1}, {1, 1, 1, 1});
  Tensor offsets = Tensor::zeros(ElementType::float32, {1, 2, 2, 2});
  for (float& offset : offsets.write<float>()) offset = 0.5f;
  // Half a step down and right; what lies outside is zero.
  expect_numbers(run_node({"DeformConv", 19}, {x, w, offsets})[0], {1, 1, 2, 2}, {1.5, 1, 1.25, 0.75});
  const Tensor mask = floats({2, 0, 1, 1}, {1, 1, 2, 2});
  expect_numbers(run_node({"DeformConv", 19}, {x, w, offsets, floats({1}, {1}), mask})[0], {1, 1, 2, 2},
                 {4, 1, 2.25, 1.75});
}

}  // namespace
}  // namespace hone
