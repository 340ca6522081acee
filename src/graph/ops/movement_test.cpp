#include <gtest/gtest.h>

#include "graph/ops/single_node_test.h"

namespace hone {
namespace {

using Integers = std::vector<std::int64_t>;

TEST(TransposeTest, ReversesTheAxesByDefault) {
  const SingleNode node{.op = "Transpose", .inputs = {counting({2, 3})}};
  EXPECT_EQ(node.run(), floats({0, 3, 1, 4, 2, 5}, {3, 2}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 3}), "float[3,n]");
}

TEST(TransposeTest, MovesStringsAndPackedElements) {
  const SingleNode texts{.op = "Transpose", .inputs = {Tensor::of<std::string>({"a", "b", "c", "d"}, {2, 2})}};
  EXPECT_EQ(texts.run(), Tensor::of<std::string>({"a", "c", "b", "d"}, {2, 2}));
  Tensor packed = Tensor::zeros(ElementType::int4, {2, 3});
  for (std::size_t i = 0; i < 6; ++i) packed.set_number(i, static_cast<double>(i) - 3);
  EXPECT_EQ((SingleNode{.op = "Transpose", .inputs = {packed}}.run().integers()), (Integers{-3, 0, -2, 1, -1, 2}));
}

TEST(TransposeTest, RefusesAPermutationThatRepeatsAnAxis) {
  const SingleNode node{
      .op = "Transpose", .inputs = {counting({2, 3})}, .attributes = {attribute("perm", Integers{0, 0})}};
  EXPECT_THROW(node.run(), InputError);
  EXPECT_THROW(node.inferred(), InputError);
}

TEST(DepthToSpaceTest, OrdersBlocksByMode) {
  SingleNode node{.op = "DepthToSpace",
                  .inputs = {counting({1, 8, 1, 1})},
                  .attributes = {attribute("blocksize", std::int64_t{2})}};
  EXPECT_EQ(node.run(), floats({0, 2, 4, 6, 1, 3, 5, 7}, {1, 2, 2, 2}));
  node.attributes.push_back(attribute("mode", std::string("CRD")));
  EXPECT_EQ(node.run(), floats({0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 2, 2}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 8, Dim::symbol("h"), 5}), "float[n,2,2*h,10]");
}

TEST(SpaceToDepthTest, IsTheInverseOfDepthToSpace) {
  const Attributes two = {attribute("blocksize", std::int64_t{2})};
  const Tensor image = counting({2, 8, 3, 3});
  const Tensor spread = SingleNode{.op = "DepthToSpace", .inputs = {image}, .attributes = two}.run();
  EXPECT_EQ((SingleNode{.op = "SpaceToDepth", .inputs = {spread}, .attributes = two}.run()), image);
}

TEST(ReverseSequenceTest, ReversesEachSampleUpToItsLength) {
  SingleNode node{.op = "ReverseSequence", .inputs = {counting({3, 2}), indices({1, 3})}};
  EXPECT_EQ(node.run(), floats({0, 5, 2, 3, 4, 1}, {3, 2}));
  node.inputs[1] = indices({1, 4});
  EXPECT_THROW(node.run(), InputError);
}

TEST(TriluTest, KeepsOneSideOfTheDiagonal) {
  SingleNode node{.op = "Trilu", .inputs = {counting({2, 3}), Tensor::scalar<std::int64_t>(1)}};
  EXPECT_EQ(node.run(), floats({0, 1, 2, 0, 0, 5}, {2, 3}));
  node.attributes = {attribute("upper", std::int64_t{0})};
  node.inputs[1] = Tensor::scalar<std::int64_t>(INT64_MIN);
  EXPECT_EQ(node.run(), floats({0, 0, 0, 0, 0, 0}, {2, 3}));
}

TEST(ConcatTest, JoinsAlongANegativeAxis) {
  const SingleNode node{.op = "Concat",
                        .inputs = {counting({2, 1}), counting({2, 2})},
                        .attributes = {attribute("axis", std::int64_t{-1})}};
  EXPECT_EQ(node.run(), floats({0, 0, 1, 1, 2, 3}, {2, 3}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), Dim::symbol("m")}), "float[2,m + 2]");
  EXPECT_THROW(node.inferred({3, 1}), InputError);
}

TEST(SplitTest, LeavesTheLastPartShorterFromOpset18) {
  SingleNode node{.op = "Split",
                  .inputs = {counting({7})},
                  .attributes = {attribute("num_outputs", std::int64_t{3})},
                  .outputs = 3};
  const std::vector<Tensor> parts = node.run_all();
  EXPECT_EQ(parts[1], floats({3, 4, 5}, {3}));
  EXPECT_EQ(parts[2], floats({6}, {1}));
  node.opset = 13;
  EXPECT_THROW(node.run_all(), InputError);
}

TEST(SplitTest, TakesTheGivenLengths) {
  SingleNode node{.op = "Split",
                  .opset = 13,
                  .inputs = {counting({2, 3}), indices({0, 3})},
                  .attributes = {attribute("axis", std::int64_t{1})},
                  .outputs = 2};
  EXPECT_EQ(node.run_all()[0].dims(), (Dims{2, 0}));
  EXPECT_EQ(node.run_all()[1], counting({2, 3}));
  node.inputs[1] = indices({-1, 4});
  EXPECT_THROW(node.run_all(), InputError);
  const SingleNode old{.op = "Split",
                       .opset = 2,
                       .inputs = {counting({3})},
                       .attributes = {attribute("split", Integers{1, 2})},
                       .outputs = 2};
  EXPECT_EQ(old.run_all()[1], floats({1, 2}, {2}));
}

TEST(SliceTest, WalksBackwardsToTheVeryStart) {
  const SingleNode node{
      .op = "Slice",
      .inputs = {counting({5}), indices({INT64_MAX}), indices({INT64_MIN}), indices({0}), indices({-2})}};
  EXPECT_EQ(node.run(), floats({4, 2, 0}, {3}));
  EXPECT_EQ(node.inferred(), "float[3]");
}

TEST(SliceTest, ClampsBoundsAndCountsNegativeOnesFromTheEnd) {
  SingleNode node{.op = "Slice", .inputs = {counting({2, 4}), indices({-3, 0}), indices({1000, 1}), indices({-1, 0})}};
  EXPECT_EQ(node.run(), floats({1, 2, 3}, {1, 3}));
  node.inputs[1] = indices({4, 5});
  EXPECT_EQ(node.run().dims(), (Dims{0, 0}));
}

TEST(SliceTest, InfersSymbolicLengths) {
  const auto inferred = [](std::int64_t start, std::int64_t end) {
    return SingleNode{.op = "Slice", .inputs = {counting({4}), indices({start}), indices({end})}}.inferred(
        {Dim::symbol("n")});
  };
  EXPECT_EQ(inferred(0, INT64_MAX), "float[n]");
  EXPECT_EQ(inferred(1, INT64_MAX), inferred(0, -1));
  EXPECT_EQ(inferred(-1, INT64_MAX), inferred(0, 1));
  EXPECT_EQ(inferred(2, 5), "float[?]");
}

TEST(SliceTest, ReadsAttributesBeforeOpset10) {
  const SingleNode node{.op = "Slice",
                        .opset = 1,
                        .inputs = {counting({2, 3})},
                        .attributes = {attribute("starts", Integers{1}), attribute("ends", Integers{-1}),
                                       attribute("axes", Integers{1})}};
  EXPECT_EQ(node.run(), floats({1, 4}, {2, 1}));
  EXPECT_EQ(node.inferred(), "float[2,1]");
}

TEST(SliceTest, RefusesAStepOfZero) {
  const SingleNode node{.op = "Slice",
                        .inputs = {counting({5}), indices({0}), indices({5}), indices({0}), indices({0})}};
  EXPECT_THROW(node.run(), InputError);
  EXPECT_THROW(node.inferred(), InputError);
}

TEST(PadTest, FillsAndCuts) {
  const SingleNode node{.op = "Pad", .inputs = {counting({2, 2}), indices({1, -1, 0, 2}), Tensor::scalar(9.0f)}};
  EXPECT_EQ(node.run(), floats({9, 9, 9, 1, 9, 9, 3, 9, 9}, {3, 3}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 2}), "float[n + 1,3]");
}

TEST(PadTest, ContinuesByMode) {
  const auto padded = [](const char* mode) {
    return SingleNode{
        .op = "Pad", .inputs = {counting({3}), indices({4, 2})}, .attributes = {attribute("mode", std::string(mode))}}
        .run();
  };
  EXPECT_EQ(padded("reflect"), floats({0, 1, 2, 1, 0, 1, 2, 1, 0}, {9}));
  EXPECT_EQ(padded("edge"), floats({0, 0, 0, 0, 0, 1, 2, 2, 2}, {9}));
  EXPECT_EQ(padded("wrap"), floats({2, 0, 1, 2, 0, 1, 2, 0, 1}, {9}));
  EXPECT_THROW(padded("mirror"), InputError);
}

TEST(PadTest, TakesAxesAndOldForms) {
  const SingleNode axes{.op = "Pad", .inputs = {counting({1, 2}), indices({0, 1}), std::nullopt, indices({-1})}};
  EXPECT_EQ(axes.run(), floats({0, 1, 0}, {1, 3}));
  const SingleNode second{.op = "Pad",
                          .opset = 2,
                          .inputs = {counting({2})},
                          .attributes = {attribute("pads", Integers{1, 0}), attribute("value", 5.0f)}};
  EXPECT_EQ(second.run(), floats({5, 0, 1}, {3}));
  const SingleNode first{
      .op = "Pad", .opset = 1, .inputs = {counting({2})}, .attributes = {attribute("paddings", Integers{0, 1})}};
  EXPECT_EQ(first.run(), floats({0, 1, 0}, {3}));
  EXPECT_EQ(first.inferred(), "float[3]");
}

TEST(TileTest, RepeatsEachAxis) {
  const SingleNode node{.op = "Tile", .inputs = {counting({1, 2}), indices({2, 2})}};
  EXPECT_EQ(node.run(), floats({0, 1, 0, 1, 0, 1, 0, 1}, {2, 4}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 2}), "float[2*n,4]");
}

TEST(ExpandTest, BroadcastsBothWays) {
  const SingleNode node{.op = "Expand", .inputs = {counting({2, 1}), indices({2, 1, 3})}};
  EXPECT_EQ(node.run(), floats({0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}, {2, 2, 3}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 1}), "float[2,n,3]");
  const SingleNode bad{.op = "Expand", .inputs = {counting({2}), indices({3})}};
  EXPECT_THROW(bad.run(), InputError);
}

}  // namespace
}  // namespace hone
