#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

std::string merged(std::string_view graph) {
  return operators(after(typed_model(graph), merge_common_subexpressions).graph);
}

TEST(CommonSubexpressionsTest, EqualNodesAreComputedOnce) {
  EXPECT_EQ(merged("g (float[2] x) => (y) { a = Relu (x) b = Relu (x) c = Neg (a) d = Neg (b) y = Add (c, d) }"),
            "Relu Neg Add");
}

TEST(CommonSubexpressionsTest, OrderOfAttributesDoesNotMatter) {
  EXPECT_EQ(merged(R"(g (float[2,2] x) => (y) {
      a = Gemm <alpha = 2.0, beta = 1.0> (x, x) b = Gemm <beta = 1.0, alpha = 2.0> (x, x) y = Add (a, b) })"),
            "Gemm Add");
}

TEST(CommonSubexpressionsTest, OtherAttributesInputsOrOutputsMakeOtherNodes) {
  for (const std::string_view nodes : {
           "a = LeakyRelu <alpha = 0.5> (x) b = LeakyRelu <alpha = 0.25> (x)",
           "a = Sub (x, z) b = Sub (z, x)",
           "a = Clip (x, z) b = Clip (x, \"\", z)",
           "a = acme.Op (x) b = acme.Op (x)",
       }) {
    Model model = typed_model(fmt::format("g (float[] x, float z) => (y) {{ {} y = Add (a, b) }}", nodes));
    EXPECT_EQ(merge_common_subexpressions(model), 0u) << nodes;
  }
}

TEST(CommonSubexpressionsTest, RandomNumbersAreNotShared) {
  EXPECT_EQ(merged(R"(g (float[2] x) => (y) {
      a = RandomNormalLike (x) b = RandomNormalLike (x) y = Sub (a, b) })"),
            "RandomNormalLike RandomNormalLike Sub");
  EXPECT_EQ(merged(R"(g (float[2] x) => (y) <float half = {0.5}, bool yes = {1}> {
      a = Dropout (x, half, yes) b = Dropout (x, half, yes) y = Sub (a, b) })"),
            "Dropout Dropout Sub");
}

TEST(CommonSubexpressionsTest, GraphOutputsKeepTheirNodes) {
  EXPECT_EQ(merged("g (float[2] x) => (y, z) { y = Relu (x) z = Relu (x) }"), "Relu Relu");
}

TEST(CommonSubexpressionsTest, EqualConstantsAreKeptOnce) {
  const Model model =
      after(typed_model(R"(g (float[2] x) => (y) <float[2] a = {1, 2}, float[2] b = {1, 2}, float[1,2] c = {1, 2}> {
      s = Add (x, a) t = Add (x, b) u = Add (x, c) v = Mul (s, t) y = Mul (u, v) })"),
            merge_common_subexpressions);
  EXPECT_EQ(model.graph.initializers().size(), 2u);
  EXPECT_EQ(operators(model.graph), "Add Add Mul Mul");
}

TEST(CommonSubexpressionsTest, DefaultsOfInputsAreNoCommonConstants) {
  const Model model = after(typed_model(R"(g (float[2] x, float[2] a = {1, 2}, float[2] b = {1, 2}) => (y) {
      s = Add (x, a) t = Add (x, b) y = Mul (s, t) })"),
                            merge_common_subexpressions);
  EXPECT_EQ(operators(model.graph), "Add Add Mul");
}

TEST(CommonSubexpressionsTest, MergesInsideBodiesAndOfBodies) {
  const std::string branch =
      "<then_branch = t () => (a) { p = Relu (x) q = Relu (x) a = Add (p, q) }, "
      "else_branch = e () => (b) { b = Abs (x) }>";
  const Model model =
      after(typed_model("g (bool c, float[2] x) => (y) { y = If (c) " + branch + " }"), merge_common_subexpressions);
  EXPECT_EQ(operators(body_of(model, "then_branch")), "Relu Add");
}

}  // namespace
}  // namespace hone
