#include <gtest/gtest.h>

#include "graph/ops/single_node_test.h"

namespace hone {
namespace {

TEST(GatherTest, TakesSlicesByIndex) {
  SingleNode node{.op = "Gather",
                  .inputs = {counting({2, 3}), Tensor::of<std::int32_t>({-1, 0}, {1, 2})},
                  .attributes = {attribute("axis", std::int64_t{1})}};
  EXPECT_EQ(node.run(), floats({2, 0, 5, 3}, {2, 1, 2}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 3}), "float[n,1,2]");
  node.inputs[1] = indices({3});
  EXPECT_THROW(node.run(), InputError);
}

TEST(GatherTest, OfAScalarIndexDropsTheAxis) {
  const SingleNode node{.op = "Gather", .inputs = {counting({2, 3}), Tensor::scalar<std::int64_t>(1)}};
  EXPECT_EQ(node.run(), floats({3, 4, 5}, {3}));
}

TEST(GatherElementsTest, KeepsTheOtherCoordinates) {
  const SingleNode node{.op = "GatherElements",
                        .inputs = {counting({2, 2}), int64s({0, 0, 1, -2}, {2, 2})},
                        .attributes = {attribute("axis", std::int64_t{1})}};
  EXPECT_EQ(node.run(), floats({0, 0, 3, 2}, {2, 2}));
}

TEST(GatherNDTest, ReadsTuplesAfterTheBatch) {
  const SingleNode whole{.op = "GatherND", .inputs = {counting({2, 2, 2}), int64s({0, 1, 1, -2}, {2, 2})}};
  EXPECT_EQ(whole.run(), floats({2, 3, 4, 5}, {2, 2}));
  const SingleNode batched{.op = "GatherND",
                           .inputs = {counting({2, 2, 2}), int64s({1, 0}, {2, 1})},
                           .attributes = {attribute("batch_dims", std::int64_t{1})}};
  EXPECT_EQ(batched.run(), floats({2, 3, 4, 5}, {2, 2}));
  const SingleNode bad{.op = "GatherND", .inputs = {counting({2}), int64s({0, 1}, {1, 2})}};
  EXPECT_THROW(bad.run(), InputError);
}

TEST(ScatterElementsTest, ReplacesOrJoins) {
  SingleNode node{.op = "ScatterElements",
                  .inputs = {floats({1, 2, 3}, {1, 3}), int64s({1, -2}, {1, 2}), floats({5, 1}, {1, 2})},
                  .attributes = {attribute("axis", std::int64_t{1})}};
  EXPECT_EQ(node.run(), floats({1, 1, 3}, {1, 3}));
  const auto joined = [&](const char* how) {
    SingleNode joining = node;
    joining.attributes.push_back(attribute("reduction", std::string(how)));
    return joining.run();
  };
  EXPECT_EQ(joined("add"), floats({1, 8, 3}, {1, 3}));
  EXPECT_EQ(joined("mul"), floats({1, 10, 3}, {1, 3}));
  EXPECT_EQ(joined("min"), floats({1, 1, 3}, {1, 3}));
  EXPECT_EQ(joined("max"), floats({1, 5, 3}, {1, 3}));
  EXPECT_THROW(joined("sum"), InputError);
}

TEST(ScatterElementsTest, WrapsIntegersAndMovesStrings) {
  const SingleNode bytes{
      .op = "ScatterElements",
      .inputs = {Tensor::of<std::uint8_t>({250}, {1}), indices({0}), Tensor::of<std::uint8_t>({10}, {1})},
      .attributes = {attribute("reduction", std::string("add"))}};
  EXPECT_EQ(bytes.run(), Tensor::of<std::uint8_t>({4}, {1}));
  const SingleNode texts{
      .op = "Scatter",
      .opset = 10,
      .inputs = {Tensor::of<std::string>({"a", "b"}, {2}), indices({1}), Tensor::of<std::string>({"c"}, {1})}};
  EXPECT_EQ(texts.run(), Tensor::of<std::string>({"a", "c"}, {2}));
}

TEST(ScatterNDTest, WritesWholeSlices) {
  SingleNode node{.op = "ScatterND",
                  .inputs = {counting({3, 2}), int64s({2, 0}, {2, 1}), floats({7, 8, 9, 10}, {2, 2})}};
  EXPECT_EQ(node.run(), floats({9, 10, 2, 3, 7, 8}, {3, 2}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 2}), "float[n,2]");
  node.inputs[2] = floats({7}, {1});
  EXPECT_THROW(node.run(), InputError);
}

TEST(TensorScatterTest, WritesAtEachSamplesPlace) {
  SingleNode node{.op = "TensorScatter",
                  .opset = 24,
                  .inputs = {counting({2, 3, 1}), floats({7, 8, 9, 10}, {2, 2, 1}), indices({0, 1})}};
  EXPECT_EQ(node.run(), floats({7, 8, 2, 3, 9, 10}, {2, 3, 1}));
  node.inputs[2] = indices({0, 2});
  EXPECT_THROW(node.run(), InputError);
  node.attributes = {attribute("mode", std::string("circular"))};
  EXPECT_EQ(node.run(), floats({7, 8, 2, 10, 4, 9}, {2, 3, 1}));
}

}  // namespace
}  // namespace hone
