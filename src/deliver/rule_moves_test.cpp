#include "deliver/rule_moves.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "graph/clean/clean_case_test.h"
#include "rewrite/search/everywhere.h"
#include "rewrite/search/node_origin.h"

namespace hone {
namespace {

Model after_family(const Model& before, std::string_view family) {
  return after(before, [&](Model& model) { EXPECT_GT(apply_everywhere(model, select_rules(family), {}), 0u); });
}

TEST(RuleMovesTest, ConvolutionsOfRankThreeBecomeOnesOfRankFour) {
  const Model model = typed_model(R"(g (float[1,2,9] x) => (y)
    <float[4,1,3] w = {1,2,3,4,5,6,7,8,9,10,11,12}, float[4] b = {1,2,3,4}> {
      y = Conv<group = 2, strides = [2], dilations = [2], pads = [1, 2]>(x, w, b) })");
  EXPECT_EQ(operators(after_family(model, "kernels_convolution").graph), "Unsqueeze Conv Squeeze");
}

TEST(RuleMovesTest, ProductsBecomeConvolutionsWithTheirBiasAndActivation) {
  const Model model = typed_model(R"(g (float[2,3,2] x) => (y, z)
    <float[2,3] w = {1,2,3,4,5,6}, float[3] b = {1,-20,3}, float[3,1] v = {1,2,3}> {
      m = MatMul(x, w)
      s = Add(b, m)
      y = Relu(s)
      z = MatMul(y, v) })");
  EXPECT_EQ(operators(after_family(model, "kernels_pointwise").graph),
            "Reshape Transpose Conv Relu Transpose Reshape Conv Transpose Reshape");
}

TEST(RuleMovesTest, ConvolutionsOverJoinedChannelsBecomeSums) {
  const Model model = typed_model(R"(g (float[1,1,2,2] p, float[1,2,2,2] q) => (y)
    <float[1,3,1,1] w = {1,2,3}, float[1] b = {5}> {
      c = Concat<axis = 1>(p, q)
      y = Conv(c, w, b) })");
  EXPECT_EQ(operators(after_family(model, "kernels_concat").graph), "Conv Conv Add");
}

TEST(RuleMovesTest, SmallFactorsMeetFirst) {
  const Model model =
      typed_model("g (float[4,1] d, float[1,3] b, float[4,1] x) => (y) { t = Mul(d, b) y = Mul(t, x) }");
  const Model changed = after_family(model, "scan");
  const Node& first = changed.graph.node(changed.graph.value(changed.graph.outputs()[0]).producer);
  EXPECT_EQ(changed.graph.value(first.inputs[0]).type.shape, (Shape{4, 1}));
}

TEST(RuleMovesTest, AnAxisTakenAndPutBackGoes) {
  const Model model = typed_model(R"(g (float[2,3,1] x) => (y) <int64 zero = {0}, int64[1] axes = {2}> {
      g = Gather<axis = 2>(x, zero)
      u = Unsqueeze(g, axes)
      y = Relu(u) })");
  EXPECT_EQ(operators(after_family(model, "scan").graph), "Relu");
}

TEST(RuleMovesTest, NodesSayWhichNodesOfTheOriginalTheyStandFor) {
  Model model = typed_model(R"(g (float[2,2] x) => (y) <float[2,2] w = {1,2,3,4}, float[2] b = {1,2}> {
      [product] m = MatMul(x, w)
      [shift] y = Add(m, b) })");
  apply_everywhere(model, select_rules("kernels_pointwise"), {});
  const std::vector<Origin> origins = made_by_rules(model.graph);
  ASSERT_FALSE(origins.empty());
  for (const Origin& origin : origins) {
    EXPECT_EQ(origin.rule, "matmul-bias-as-convolution");
    EXPECT_EQ(std::set<std::string>(origin.from.begin(), origin.from.end()),
              (std::set<std::string>{"product", "shift"}));
  }
  drop_origins(model.graph);
  EXPECT_TRUE(made_by_rules(model.graph).empty());
}

TEST(RuleMovesTest, AMoveThatChangesNothingGivesNothing) {
  const auto model = std::make_shared<const Model>(typed_model("g (float[2] x) => (y) { y = Exp(x) }"));
  for (const Move& move : rule_moves({}))
    EXPECT_FALSE(move.apply({.model = model, .options = {}, .steps = {}})) << move.name;
}

TEST(RuleMovesTest, TypesThatTheFileDoesNotSayAreInferred) {
  const auto model = std::make_shared<const Model>(parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2,9] x) => (float[1,4,7] z) <float[4,1,3] w = {1,2,3,4,5,6,7,8,9,10,11,12}> {
      y = Relu(x)
      z = Conv<group = 2>(y, w) })",
                                                               "case"));
  std::vector<std::string> applied;
  for (const Move& move : rule_moves({}))
    if (move.apply({.model = model, .options = {}, .steps = {}})) applied.push_back(move.name);
  EXPECT_THAT(applied, testing::Contains("rules kernels_convolution"));
}

TEST(RuleMovesTest, DepthwiseConvolutionsKeepTheirGroups) {
  const auto merged = [](int channels_of_a_group) {
    const Model model = typed_model(fmt::format(
        R"(g (float[1,{0},5,5] x) => (y) <float[8,{1},1,1] w = {{{2}}}> {{ y = Conv<group = 8>(x, w) }})",
        8 * channels_of_a_group, channels_of_a_group, fmt::join(std::vector<int>(8 * channels_of_a_group, 1), ",")));
    Model copy = model;
    return apply_everywhere(copy, {select_rules("merge-conv-groups")}, {});
  };
  EXPECT_EQ(merged(1), 0u);
  EXPECT_GT(merged(2), 0u);
}

}  // namespace
}  // namespace hone
