#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(ReduceTest, FoldsAnyAxesAndKeepsOrDropsThem) {
  const Tensor x = counting({2, 3, 2});
  expect_numbers(run_node({"ReduceSum", 13}, {x, int64s({0, -1}, {2})})[0], {1, 3, 1}, {14, 22, 30});
  expect_numbers(run_node({"ReduceSum", 13, {{"keepdims", std::int64_t{0}}}}, {x, int64s({1}, {1})})[0], {2, 2},
                 {6, 9, 24, 27});
  expect_numbers(run_node({"ReduceMean", 13, {{"axes", Ints{1}}}}, {x})[0], {2, 1, 2}, {2, 3, 8, 9});
}

TEST(ReduceTest, EveryFoldGivesItsOwnNumber) {
  const Tensor x = floats({-3, 4}, {2});
  const auto fold = [&](std::string_view op) {
    return run_node({op, 18, {{"keepdims", std::int64_t{0}}}}, {x})[0].number_at(0);
  };
  EXPECT_EQ(fold("ReduceSum"), 1);
  EXPECT_EQ(fold("ReduceMean"), 0.5);
  EXPECT_EQ(fold("ReduceMax"), 4);
  EXPECT_EQ(fold("ReduceMin"), -3);
  EXPECT_EQ(fold("ReduceProd"), -12);
  EXPECT_EQ(fold("ReduceL1"), 7);
  EXPECT_EQ(fold("ReduceL2"), 5);
  EXPECT_EQ(fold("ReduceSumSquare"), 25);
  EXPECT_EQ(fold("ReduceLogSum"), 0);
  EXPECT_NEAR(fold("ReduceLogSumExp"), std::log(std::exp(-3.0) + std::exp(4.0)), 1e-6);
}

TEST(ReduceTest, LogSumExpDoesNotOverflow) {
  const Tensor y = run_node({"ReduceLogSumExp", 18}, {floats({1000, 1000}, {2})})[0];
  EXPECT_NEAR(y.number_at(0), 1000 + std::log(2.0), 1e-3);
}

TEST(ReduceTest, EmptySetsGiveTheNeutralNumber) {
  const Tensor x = counting({2, 0});
  const Tensor axes = int64s({1}, {1});
  expect_numbers(run_node({"ReduceSum", 18}, {x, axes})[0], {2, 1}, {0, 0});
  expect_numbers(run_node({"ReduceProd", 18}, {x, axes})[0], {2, 1}, {1, 1});
  expect_numbers(run_node({"ReduceMax", 18}, {x, axes})[0], {2, 1}, {-kInfinity, -kInfinity});
  expect_numbers(run_node({"ReduceMin", 18}, {x, axes})[0], {2, 1}, {kInfinity, kInfinity});
  expect_numbers(run_node({"ReduceLogSumExp", 18}, {x, axes})[0], {2, 1}, {-kInfinity, -kInfinity});
}

TEST(ReduceTest, NoAxesMeansAllUnlessTheNodeSaysNone) {
  const Tensor x = counting({2, 2});
  expect_numbers(run_node({"ReduceSum", 13}, {x, int64s({}, {0})})[0], {1, 1}, {6});
  const OneNode none = {"ReduceSum", 13, {{"noop_with_empty_axes", std::int64_t{1}}}};
  expect_numbers(run_node(none, {x})[0], {2, 2}, {0, 1, 2, 3});
}

TEST(ReduceTest, MaxTakesBoolsAndIntegersWrap) {
  const Tensor truths = Tensor::of<bool>({false, true, false, false}, {2, 2});
  EXPECT_EQ(run_node({"ReduceMax", 20}, {truths, int64s({1}, {1})})[0], (Tensor::of<bool>({true, false}, {2, 1})));
  const Tensor large = Tensor::of<std::int32_t>({1 << 30, 1 << 30}, {2});
  EXPECT_EQ(run_node({"ReduceSum", 13}, {large})[0].integer_at(0), std::numeric_limits<std::int32_t>::min());
}

TEST(ReduceTest, RefusesAxesOutOfRange) {
  EXPECT_THROW(run_node({"ReduceSum", 13}, {counting({2}), int64s({1}, {1})}), InputError);
}

TEST(ReduceTest, KeepsSymbolicDimsThatAreNotReduced) {
  const OneNode node = {"ReduceMax", 13, {{"axes", Ints{1}}, {"keepdims", std::int64_t{0}}}};
  EXPECT_EQ(inferred_type(node, {float_type({Dim::symbol("batch"), 3, Dim::symbol("seq")})}), "float[batch,seq]");
}

TEST(ReduceTest, ProductOfAShapeStaysSymbolic) {
  Model model;
  model.opsets.imports = {{"", 18}};
  const ValueId x = model.graph.add_input("x", float_type({Dim::symbol("batch"), 3, 4}));
  const ValueId shape = model.graph.add(OpName::intern("", "Shape"), std::span(&x, 1));
  const ValueId count = model.graph.add(OpName::intern("", "ReduceProd"), std::span(&shape, 1));
  const ValueId inputs[] = {x, count};
  model.graph.add_output(model.graph.add(OpName::intern("", "Reshape"), inputs));
  infer_types(model);
  EXPECT_EQ(text_of(model.graph.value(model.graph.outputs()[0]).type), "float[12*batch]");
}

}  // namespace
}  // namespace hone
