#include "deliver/rule_moves.h"
#include "graph/clean/clean_case_test.h"
#include "rewrite/search/everywhere.h"

// Families that keep tokens in the layout of convolutions.

namespace hone {
namespace {

std::string operators_after(const Model& before, const char* family) {
  Model after = before;
  apply_everywhere(after, select_rules(family), {});
  expect_stands_in(before, after);
  return operators(after.graph);
}

TEST(TokenRulesTest, AnImageBetweenProductsIsNotTransposed) {
  const Model model = typed_model(R"(g (float[1,4,2] x) => (y)
    <float[2,3] w = {1,2,3,4,5,6}, float[3] b = {1,2,3}, float[3,1,1,1] k = {1,2,3}, float[3,2] v = {1,2,3,4,5,6},
     float[2] c = {1,2}, int64[4] image = {1,3,2,2}, int64[3] tokens = {1,3,4}> {
      m = MatMul(x, w)
      a = Add(m, b)
      t = Transpose<perm = [0,2,1]>(a)
      i = Reshape(t, image)
      d = Conv<group = 3>(i, k)
      r = Reshape(d, tokens)
      s = Transpose<perm = [0,2,1]>(r)
      n = MatMul(s, v)
      y = Add(n, c) })");
  EXPECT_EQ(operators_after(model, "kernels_tokens"), "Transpose Reshape Conv Conv Conv Reshape Transpose");
}

TEST(TokenRulesTest, AttentionStaysInTheLayoutOfItsProducts) {
  const Model model = typed_model(R"(g (float[1,3,4] x) => (y)
    <float[4,4] q = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7}, float[4,4] k = {7,6,5,4,3,2,1,9,8,7,6,5,4,3,2,1},
     int64[4] heads = {1,3,2,2}, int64[3] joined = {1,3,4}> {
      a = MatMul(x, q)
      b = Reshape(a, heads)
      c = Transpose<perm = [0,2,1,3]>(b)
      d = MatMul(x, k)
      e = Reshape(d, heads)
      f = Transpose<perm = [0,2,3,1]>(e)
      s = MatMul(c, f)
      p = Softmax(s)
      o = MatMul(p, c)
      t = Transpose<perm = [0,2,1,3]>(o)
      r = Reshape(t, joined)
      y = MatMul(r, k) })");
  const std::string after = operators_after(model, "kernels_pointwise");
  EXPECT_EQ(after,
            "Reshape Transpose Conv Reshape Transpose Conv Reshape MatMul Softmax Transpose MatMul Reshape Conv "
            "Transpose Reshape");
}

}  // namespace
}  // namespace hone
