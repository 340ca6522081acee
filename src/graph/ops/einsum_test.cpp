#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

OneNode einsum(std::string equation) { return {"Einsum", 12, {{"equation", std::move(equation)}}}; }

TEST(EinsumTest, MultipliesMatrices) {
  expect_numbers(run_node(einsum("ij, jk -> ik"), {counting({2, 2}), counting({2, 3})})[0], {2, 3},
                 {3, 4, 5, 9, 14, 19});
}

TEST(EinsumTest, WithoutArrowSumsRepeatedLetters) {
  expect_numbers(run_node(einsum("i,i"), {counting({3}), counting({3})})[0], {}, {5});
  expect_numbers(run_node(einsum("ba"), {counting({2, 3})})[0], {3, 2}, {0, 3, 1, 4, 2, 5});
}

TEST(EinsumTest, WalksDiagonalsUnderAnEllipsis) {
  expect_numbers(run_node(einsum("...ii->...i"), {counting({2, 2, 2})})[0], {2, 2}, {0, 3, 4, 7});
  expect_numbers(run_node(einsum("...ii->..."), {counting({2, 2, 2})})[0], {2}, {3, 11});
}

TEST(EinsumTest, BroadcastsEllipses) {
  const Tensor y = run_node(einsum("...ij,...jk->...ik"), {counting({2, 1, 1, 2}), counting({2, 1})})[0];
  expect_numbers(y, {2, 1, 1, 1}, {1, 3});
}

TEST(EinsumTest, SumsThreeFactorsOfIntegersWithWrap) {
  const Tensor x = Tensor::of<std::int32_t>({1 << 20, 3}, {2});
  EXPECT_EQ(run_node(einsum("i,i,i->"), {x, x, x})[0].integer_at(0), 27);
}

TEST(EinsumTest, InfersSymbolicDims) {
  const Dim batch = Dim::symbol("batch"), length = Dim::symbol("length");
  EXPECT_EQ(
      inferred_type(einsum("bhid,bhjd->bhij"), {float_type({batch, 8, length, 64}), float_type({batch, 8, 10, 64})}),
      "float[batch,8,length,10]");
}

TEST(EinsumTest, RefusesBadEquations) {
  const Tensor x = counting({2, 2});
  for (const char* equation : {"i->i", "ij,jk->ik", "ij->ik", "ij->ii", "i.j->ij", "i(j"})
    EXPECT_THROW(run_node(einsum(equation), {x}), InputError) << equation;
  EXPECT_THROW(run_node(einsum("ij,jk->ik"), {x, counting({3, 2})}), InputError);
}

}  // namespace
}  // namespace hone
