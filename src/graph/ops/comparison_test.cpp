#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(ComparisonTest, OrdersNumbersAndNothingIsLikeNotANumber) {
  const Tensor a = floats({1, 2, 3, kNaN}, {4}), b = floats({2, 2, 2, kNaN}, {4});
  expect_numbers(run_one({"Less"}, {a, b}), {4}, {1, 0, 0, 0});
  expect_numbers(run_one({"LessOrEqual"}, {a, b}), {4}, {1, 1, 0, 0});
  expect_numbers(run_one({"Greater"}, {a, b}), {4}, {0, 0, 1, 0});
  expect_numbers(run_one({"GreaterOrEqual"}, {a, b}), {4}, {0, 1, 1, 0});
  expect_numbers(run_one({"Equal"}, {a, b}), {4}, {0, 1, 0, 0});
}

TEST(ComparisonTest, ComparesLargeIntegersExactly) {
  const Tensor a = int64s({(std::int64_t{1} << 53) + 1}, {1}), b = int64s({std::int64_t{1} << 53}, {1});
  expect_numbers(run_one({"Equal"}, {a, b}), {1}, {0});
  expect_numbers(run_one({"Greater"}, {a, b}), {1}, {1});
}

TEST(ComparisonTest, ComparesStrings) {
  const Tensor a = Tensor::of<std::string>({"hone", "file"}, {2}), b = Tensor::of<std::string>({"hone"}, {1});
  expect_numbers(run_one({"Equal"}, {a, b}), {2}, {1, 0});
}

TEST(LogicTest, BoolsAndBits) {
  const Tensor a = Tensor::of<bool>({false, false, true, true}, {4}), b = Tensor::of<bool>({false, true}, {2});
  const Tensor rows = a.reshaped({2, 2});
  expect_numbers(run_one({"And"}, {rows, b}), {2, 2}, {0, 0, 0, 1});
  expect_numbers(run_one({"Or"}, {rows, b}), {2, 2}, {0, 1, 1, 1});
  expect_numbers(run_one({"Xor"}, {rows, b}), {2, 2}, {0, 1, 1, 0});
  expect_numbers(run_one({"Not"}, {a}), {4}, {1, 1, 0, 0});
  const Tensor x = Tensor::of<std::int8_t>({12, -1}, {2}), y = Tensor::of<std::int8_t>({10, 7}, {2});
  expect_numbers(run_one({"BitwiseAnd"}, {x, y}), {2}, {8, 7});
  expect_numbers(run_one({"BitwiseOr"}, {x, y}), {2}, {14, -1});
  expect_numbers(run_one({"BitwiseXor"}, {x, y}), {2}, {6, -8});
  expect_numbers(run_one({"BitwiseNot"}, {Tensor::of<std::uint8_t>({0, 254}, {2})}), {2}, {255, 1});
  EXPECT_THROW(run_one({"And"}, {x, y}), InputError);
}

TEST(WhereTest, BroadcastsAllThree) {
  const Tensor condition = Tensor::of<bool>({true, false}, {2, 1});
  expect_numbers(run_one({"Where"}, {condition, floats({1, 2, 3}, {3}), floats({9}, {})}), {2, 3}, {1, 2, 3, 9, 9, 9});
  const Tensor texts = Tensor::of<std::string>({"a", "b"}, {2, 1});
  const Tensor chosen = run_one({"Where"}, {condition, texts, Tensor::of<std::string>({"z"}, {})});
  EXPECT_EQ(chosen.strings()[0], "a");
  EXPECT_EQ(chosen.strings()[1], "z");
}

TEST(PredicateTest, TellsInfinitiesBySign) {
  const Tensor x = floats({1, kNaN, kInfinity, -kInfinity}, {4});
  expect_numbers(run_one({"IsNaN"}, {x}), {4}, {0, 1, 0, 0});
  expect_numbers(run_one({"IsInf"}, {x}), {4}, {0, 0, 1, 1});
  const OneNode positive{"IsInf", 24, {{"detect_negative", std::int64_t{0}, "", {}}}};
  expect_numbers(run_one(positive, {x}), {4}, {0, 0, 1, 0});
}

TEST(ComparisonTest, InfersBools) {
  EXPECT_EQ(inferred_type({"Less"}, {float_type({Dim::symbol("n"), 1}), float_type({3})}), "bool[n,3]");
  EXPECT_EQ(inferred_type({"Where"}, {Type::tensor(ElementType::boolean, {2, 1}), float_type({3}), float_type({})}),
            "float[2,3]");
}

}  // namespace
}  // namespace hone
