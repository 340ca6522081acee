#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(MatMulTest, MultipliesStacksWithBroadcastLeadingDims) {
  const Tensor a = counting({2, 1, 2, 3});
  const Tensor b = floats({1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2}, {2, 3, 2});
  const Tensor y = run_node({"MatMul"}, {a, b})[0];
  expect_numbers(y, {2, 2, 2, 2}, {2, 3, 8, 9, 4, 6, 16, 18, 14, 15, 20, 21, 28, 30, 40, 42});
}

TEST(MatMulTest, TreatsVectorsAsRowAndColumn) {
  expect_numbers(run_node({"MatMul"}, {counting({3}), counting({3})})[0], {}, {5});
  expect_numbers(run_node({"MatMul"}, {counting({2, 3}), counting({3})})[0], {2}, {5, 14});
  expect_numbers(run_node({"MatMul"}, {counting({3}), counting({3, 2})})[0], {2}, {10, 13});
}

TEST(MatMulTest, SumsLongRowsPrecisely) {
  Tensor a = Tensor::zeros(ElementType::float32, {1, 5000});
  for (float& x : a.write<float>()) x = 0.1f;
  Tensor b = Tensor::zeros(ElementType::float32, {5000, 1});
  for (float& x : b.write<float>()) x = 1;
  EXPECT_NEAR(run_node({"MatMul"}, {a, b})[0].number_at(0), 5000 * static_cast<double>(0.1f), 5e-4);
}

TEST(MatMulTest, WrapsIntegers) {
  const Tensor a = Tensor::of<std::int32_t>({1 << 30, -1}, {1, 2});
  const Tensor b = Tensor::of<std::int32_t>({4, 7}, {2, 1});
  EXPECT_EQ(run_node({"MatMul"}, {a, b})[0].integer_at(0), -7);
}

TEST(MatMulTest, GivesZerosForAnEmptyInnerDim) {
  expect_numbers(run_node({"MatMul"}, {counting({2, 0}), counting({0, 1})})[0], {2, 1}, {0, 0});
}

TEST(MatMulTest, InfersSymbolicBatchAndRefusesMismatch) {
  const Dim batch = Dim::symbol("batch");
  EXPECT_EQ(inferred_type({"MatMul"}, {float_type({batch, 12, 8, 4}), float_type({1, 4, 5})}), "float[batch,12,8,5]");
  EXPECT_THROW(inferred_type({"MatMul"}, {float_type({2, 3}), float_type({4, 5})}), InputError);
  EXPECT_EQ(inferred_type({"MatMul"}, {Type::tensor(ElementType::float16), float_type({4, 5})}), "float16[...]");
}

TEST(GemmTest, TransposesScalesAndAdds) {
  const OneNode node = {
      "Gemm", 13, {{"alpha", 0.5f}, {"beta", 2.0f}, {"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}}};
  const Tensor y = run_node(node, {counting({2, 2}), counting({3, 2}), floats({1, 2, 3}, {3})})[0];
  // A^T = [[0,2],[1,3]], B^T = [[0,2,4],[1,3,5]].
  expect_numbers(y, {2, 3}, {3, 7, 11, 3.5, 9.5, 15.5});
}

TEST(GemmTest, RefusesABiasThatDoesNotFit) {
  EXPECT_THROW(run_node({"Gemm"}, {counting({2, 2}), counting({2, 3}), counting({2})}), InputError);
}

TEST(MatMulIntegerTest, TakesZeroPointsByRowAndColumn) {
  const Tensor a = bytes({1, 2, 3, 4}, {2, 2}), b = bytes({1, 2, 3, 4}, {2, 2});
  const Tensor y = run_node({"MatMulInteger"}, {a, b, bytes({1, 3}, {2}), bytes({1, 2}, {2})})[0];
  // ([[0,1],[0,1]]) * ([[0,0],[2,2]]).
  EXPECT_EQ(y, Tensor::of<std::int32_t>({2, 2, 2, 2}, {2, 2}));
}

TEST(QLinearMatMulTest, RoundsToEvenAndSaturates) {
  const Tensor one = floats({1}, {}), zero = bytes({0}, {});
  const Tensor a = bytes({1, 3, 255}, {3, 1}), b = bytes({1}, {1, 1});
  const Tensor y = run_node({"QLinearMatMul"}, {a, one, zero, b, one, zero, floats({2}, {}), bytes({200}, {})})[0];
  EXPECT_EQ(y, bytes({200, 202, 255}, {3, 1}));
}

TEST(DetTest, EliminatesWithPivots) {
  const Tensor x = floats({0, 1, 2, 3, 1, 2, 2, 4}, {2, 2, 2});
  expect_numbers(run_node({"Det"}, {x})[0], {2}, {-2, 0});
}

TEST(MatMulTest, CountsTwoFlopsAMultiplyAdd) {
  Model model = model_of({"MatMul"}, {float_type({8, 2, 3}), float_type({3, 5})});
  infer_types(model);
  EXPECT_EQ(node_cost(model.graph, model.graph.nodes()[0], model.opsets)->flops, 2 * 8 * 2 * 3 * 5);
}

}  // namespace
}  // namespace hone
