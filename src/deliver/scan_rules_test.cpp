#include "deliver/rule_moves.h"
#include "graph/clean/clean_case_test.h"
#include "rewrite/search/everywhere.h"

namespace hone {
namespace {

/// A state of 3 x 2 numbers that takes part in each of two steps, as exporters unroll a selective scan.
constexpr const char* kUnrolled = R"(g (float[1,3,2] d, float[1,2,2] c) => (y)
  <float[1,3,1,2] a = {1,2,3,4,5,6}, float[1,3,2] h = {0,0,0,0,0,0}, int64 first = {0}, int64 second = {1},
   int64[1] last = {-1}, int64[1] three = {3}> {
    u = Unsqueeze(d, three)
    m = Mul(a, u)
    p = Exp(m)
    q = Mul(u, a)
    p0 = Gather<axis = 2>(p, first)
    q0 = Gather<axis = 2>(q, first)
    s0 = Mul(p0, h)
    h0 = Add(s0, q0)
    p1 = Gather<axis = 2>(p, second)
    q1 = Gather<axis = 2>(q, second)
    s1 = Mul(p1, h0)
    h1 = Add(s1, q1)
    c0 = Gather<axis = 1>(c, first)
    k0 = Unsqueeze(c0, last)
    c1 = Gather<axis = 1>(c, second)
    k1 = Unsqueeze(c1, last)
    y0 = MatMul(h0, k0)
    y1 = MatMul(h1, k1)
    y = Concat<axis = 2>(y0, y1) })";

TEST(ScanRulesTest, UnrolledStepsBecomeOneProductWithTheLongestAxisLast) {
  const Model before = typed_model(kUnrolled);
  Model after = before;
  EXPECT_GT(apply_everywhere(after, select_rules("scan"), {}), 0u);
  expect_stands_in(before, after);
  std::size_t products = 0, gathers = 0;
  for (const NodeId id : after.graph.nodes()) {
    const Node& node = after.graph.node(id);
    products += node.op->name == "MatMul" ? 1 : 0;
    gathers += node.op->name == "Gather" ? 1 : 0;
    if (node.op->name != "Slice") continue;
    EXPECT_EQ(after.graph.value(node.outputs[0]).type.shape, (Shape{1, 1, 2, 3}));
  }
  EXPECT_EQ(products, 1u);
  EXPECT_EQ(gathers, 0u);
}

}  // namespace
}  // namespace hone
