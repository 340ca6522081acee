#include "graph/loops/loop_view.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr ElementType kFloat = ElementType::float32;

TEST(LoopViewTest, KnowsHowFarLayoutsReach) {
  EXPECT_EQ(span_of(dense_view(kFloat, {2, 3, 4, 5})), 120);
  EXPECT_EQ(span_of(channels_last_view(kFloat, {2, 3, 4, 5})), 120);
  EXPECT_EQ(span_of(blocked_view(kFloat, {1, 20, 4, 5})), 2 * 16 * 20);
  EXPECT_EQ(span_of(dense_view(kFloat, {2, 0})), 0);
  EXPECT_TRUE(is_dense(dense_view(kFloat, {2, 3})));
  EXPECT_FALSE(is_dense(channels_last_view(kFloat, {1, 3, 4, 5})));
}

TEST(LoopViewTest, CutsAnAxisThatGoesAlongTwo) {
  // 12 elements in a row, of a tensor of 3 by 4.
  const auto found = along_axes({.strides = {1}}, {12}, {3, 4}, {4, 1});
  const auto* cut = std::get_if<AxisCut>(&found);
  ASSERT_NE(cut, nullptr);
  EXPECT_EQ(cut->axis, 0U);
  EXPECT_EQ(cut->inner, 4);
}

TEST(LoopViewTest, FindsStepsAlongAxes) {
  const auto found = along_axes({.offset = 5, .strides = {4, 2}}, {2, 2}, {3, 4}, {4, 1});
  const auto* access = std::get_if<AxisAccess>(&found);
  ASSERT_NE(access, nullptr);
  EXPECT_EQ(access->first, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(access->steps[0]->axis, 0U);
  EXPECT_EQ(access->steps[0]->step, 1);
  EXPECT_EQ(access->steps[1]->axis, 1U);
  EXPECT_EQ(access->steps[1]->step, 2);
}

TEST(LoopViewTest, GoesThroughAxesThatFollowOneAnotherAtOnce) {
  // The pixels of an image with channels last are one axis of stride 5.
  const LoopView view = channels_last_view(kFloat, {1, 5, 3, 4});
  const auto found = in_array(view, {.strides = {12, 1}}, {5, 12});
  const auto* read = std::get_if<LoopRead>(&found);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->strides, (Dims{1, 5}));
}

TEST(LoopViewTest, RefusesPointsOutsideOfTheTensor) {
  const auto found = along_axes({.offset = 8, .strides = {4}}, {2}, {3, 4}, {4, 1});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(found));
}

TEST(LoopViewTest, FindsElementsInBlocks) {
  const LoopView view = blocked_view(kFloat, {1, 32, 2, 3});
  const auto whole = in_array(view, {.strides = {6, 1}}, {32, 6});
  ASSERT_TRUE(std::holds_alternative<AxisCut>(whole));
  const auto cut = in_array(view, {.strides = {96, 6, 3, 1}}, {2, 16, 2, 3});
  const auto* read = std::get_if<LoopRead>(&cut);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->strides, (Dims{96, 1, 48, 16}));
}

}  // namespace
}  // namespace hone
