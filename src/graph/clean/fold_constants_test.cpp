#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

Model folded(const Model& model, const CleanOptions& options = {}) {
  return after(model, [&](Model& changed) { fold_constants(changed, options); });
}

std::string left_when_folded(std::string_view graph, int ir_version = 8) {
  return operators(folded(typed_model(graph, ir_version)).graph);
}

Tensor constant(const Model& model, std::string_view name) {
  return *model.graph.value(*model.graph.find_value(name)).constant;
}

TEST(FoldConstantsTest, WhatDependsOnConstantsOnlyIsComputed) {
  const Model model =
      folded(typed_model("g (float[2] x) => (y) <float[2] a = {1, 2}, float[2] b = {3, 4}> { s = Add (a, b) t = Neg "
                         "(s) y = Mul (x, t) }"));
  EXPECT_EQ(operators(model.graph), "Mul");
  EXPECT_EQ(constant(model, "t"), Tensor::of<float>({-4, -6}, {2}));
}

TEST(FoldConstantsTest, ConstantNodesBecomeInitializers) {
  EXPECT_EQ(left_when_folded("g (float[2] x) => (y) { c = Constant <value_floats = [1.0, 2.0]> () y = Add (x, c) }"),
            "Add");
}

TEST(FoldConstantsTest, ShapeArithmeticIsResolvedWhereItIsCertain) {
  const Model model =
      folded(typed_model(R"(g (float[2,3,4] x) => (y) <int64 one = {1}, int64[1] axes = {0}, int64[1] open = {-1}> {
      s = Shape (x) d = Gather (s, one) u = Unsqueeze (d, axes) t = Concat <axis = 0> (u, open) y = Reshape (x, t) })"));
  EXPECT_EQ(operators(model.graph), "Reshape");
  EXPECT_EQ(constant(model, "t").integers(), (std::vector<std::int64_t>{3, -1}));
}

TEST(FoldConstantsTest, SymbolicShapesStay) {
  Model model = typed_model("g (float[N,3] x) => (y) { s = Shape (x) y = Expand (x, s) }");
  EXPECT_EQ(fold_constants(model, {}), 0u);
}

TEST(FoldConstantsTest, GraphOutputsKeepTheirNodes) {
  EXPECT_EQ(left_when_folded("g () => (y) <float[2] a = {1, 2}> { y = Neg (a) }"), "Neg");
}

TEST(FoldConstantsTest, QuantizedWeightsStayQuantized) {
  EXPECT_EQ(left_when_folded(R"(g (float[2] x) => (y) <int8[2] w = {1, 2}, float s = {0.5}, int8 z = {0}> {
      d = DequantizeLinear (w, s, z) y = Mul (x, d) })"),
            "DequantizeLinear Mul");
}

TEST(FoldConstantsTest, RandomNumbersAreDrawnAtRunTime) {
  EXPECT_EQ(left_when_folded("g (float[2] x) => (y) { r = RandomNormal <shape = [2], seed = 1.0> () y = Add (x, r) }"),
            "RandomNormal Add");
}

TEST(FoldConstantsTest, DefaultsOfInputsMayBeOverridden) {
  const std::string_view graph = "g (float[2] x, float[2] w = {1, 2}) => (y) { n = Neg (w) y = Add (x, n) }";
  EXPECT_EQ(left_when_folded(graph, 8), "Neg Add");
  EXPECT_EQ(left_when_folded(graph, 3), "Add");
}

TEST(FoldConstantsTest, NothingGrowsBeyondTheCap) {
  const Model model = typed_model(
      "g (float[1] x) => (y) <int64[1] n = {5000}, float[1] a = {1}> { big = Expand (a, n) y = Add (x, big) }");
  EXPECT_EQ(operators(folded(model, {.fold_bytes = 1000}).graph), "Expand Add");
  EXPECT_EQ(operators(folded(model, {.fold_bytes = 100000}).graph), "Add");
}

TEST(FoldConstantsTest, NothingIsComputedThatTakesTooLong) {
  // 40 x 40, so that inference does not compute it already.
  const Model model = typed_model(
      "g (float[40,40] x) => (y) <int64[2] n = {40, 40}> { a = ConstantOfShape (n) m = MatMul (a, a) y = Add (x, m) }");
  EXPECT_EQ(operators(folded(model, {.fold_flops = 100}).graph), "MatMul Add");
  EXPECT_EQ(operators(folded(model).graph), "Add");
}

TEST(FoldConstantsTest, WhatCannotBeComputedIsLeftToFailAtRunTime) {
  Model model =
      typed_model("g (float[1] x) => (y) <string[1] a = {\"no number\"}> { d = Cast <to = 1> (a) y = Add (x, d) }");
  fold_constants(model, {});
  EXPECT_EQ(operators(model.graph), "Cast Add");
  EXPECT_EQ(verify(model), std::nullopt);
}

TEST(FoldConstantsTest, BodiesAreFolded) {
  const Model model = folded(typed_model(R"(g (bool c, float[2] x) => (y) {
      y = If (c) <then_branch = t () => (a) <float[2] k = {1, 2}> { n = Neg (k) a = Add (x, n) },
                  else_branch = e () => (b) { b = Abs (x) }> })"));
  EXPECT_EQ(operators(body_of(model, "then_branch")), "Add");
}

TEST(FoldConstantsTest, LargeWeightsThatOnlyMoveHaveTheirContentsWhenAsked) {
  Model model = typed_model(R"(g (float[1,200] x) => (y) <float[1,1] w = {1}> {
      t = Transpose(w)
      c = Concat<axis = 0>(t, t)
      y = Mul(x, c) })");
  Tensor weight = Tensor::zeros(ElementType::float32, {200, 150});
  for (std::size_t i = 0; i < weight.count(); ++i) weight.set_number(i, static_cast<double>(i));
  model.graph.set_constant(model.graph.initializers()[0], weight);
  infer_types(model);
  const Model after = folded(model);
  ASSERT_EQ(operators(after.graph), "Mul");
  const Tensor& joined = *after.graph.value(after.graph.node(after.graph.nodes()[0]).inputs[1]).constant;
  ASSERT_EQ(joined.dims(), (Dims{300, 200}));
  EXPECT_EQ(joined.number_at(1), 150);        // the first column of the second row
  EXPECT_EQ(joined.number_at(150 * 200), 0);  // where it begins again
  EXPECT_EQ(joined.number_at(151 * 200), 1);
}

}  // namespace
}  // namespace hone
