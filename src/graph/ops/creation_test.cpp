#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

Tensor constant(std::string name, AttributeValue value) {
  return run_one({"Constant", 24, {attribute(std::move(name), std::move(value))}}, {});
}

TEST(ConstantTest, ValueComesInManyForms) {
  expect_numbers(constant("value", counting({2, 1})), {2, 1}, {0, 1});
  expect_numbers(constant("value_float", 2.5f), {}, {2.5});
  expect_numbers(constant("value_int", std::int64_t{7}), {}, {7});
  expect_numbers(constant("value_ints", std::vector<std::int64_t>{1, 2}), {2}, {1, 2});
  expect_numbers(constant("value_floats", std::vector<float>{1, 2}), {2}, {1, 2});
  EXPECT_EQ(constant("value_string", std::string("hone")).strings()[0], "hone");
  EXPECT_EQ(constant("value_strings", std::vector<std::string>{"a", "b"}).strings()[1], "b");
}

TEST(ConstantTest, RefusesToHaveNoValue) {
  EXPECT_THROW(constant("unrelated", std::int64_t{1}), InputError);
  EXPECT_THROW(constant("sparse_value", OpaqueAttribute{}), InputError);
}

TEST(ConstantOfShapeTest, RepeatsItsElement) {
  expect_numbers(run_one({"ConstantOfShape"}, {int64s({2, 2}, {2})}), {2, 2}, {0, 0, 0, 0});
  const OneNode sevens{"ConstantOfShape", 24, {attribute("value", Tensor::of<std::int32_t>({7}, {1}))}};
  expect_numbers(run_one(sevens, {int64s({3}, {1})}), {3}, {7, 7, 7});
  expect_numbers(run_one(sevens, {int64s({}, {0})}), {}, {7});
  expect_numbers(run_one(sevens, {int64s({0, 3}, {2})}), {0, 3}, {});
}

TEST(ConstantOfShapeTest, RefusesAbsurdShapes) {
  EXPECT_THROW(run_one({"ConstantOfShape"}, {int64s({-1}, {1})}), InputError);
  EXPECT_THROW(run_one({"ConstantOfShape"}, {int64s({1 << 20, 1 << 20, 1 << 30}, {3})}), InputError);
}

TEST(EyeLikeTest, DiagonalMayBeMovedOutOfSight) {
  const Tensor like = floats({9, 9, 9, 9, 9, 9}, {2, 3});
  expect_numbers(run_one({"EyeLike"}, {like}), {2, 3}, {1, 0, 0, 0, 1, 0});
  const OneNode lower{"EyeLike", 24, {attribute("k", std::int64_t{-1}), attribute("dtype", std::int64_t{7})}};
  const Tensor y = run_one(lower, {like});
  EXPECT_EQ(y.type(), ElementType::int64);
  expect_numbers(y, {2, 3}, {0, 0, 0, 1, 0, 0});
  expect_numbers(run_one({"EyeLike", 24, {attribute("k", INT64_MAX)}}, {like}), {2, 3}, {0, 0, 0, 0, 0, 0});
}

Tensor range(std::int64_t start, std::int64_t limit, std::int64_t delta) {
  return run_one({"Range"}, {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)});
}

TEST(RangeTest, CountsUpAndDownWithoutTheLimit) {
  expect_numbers(range(1, 8, 3), {3}, {1, 4, 7});
  expect_numbers(range(1, 7, 3), {2}, {1, 4});
  expect_numbers(range(10, 4, -2), {3}, {10, 8, 6});
  expect_numbers(range(5, 1, 1), {0}, {});
  expect_numbers(run_one({"Range"}, {Tensor::scalar(0.0f), Tensor::scalar(1.0f), Tensor::scalar(0.3f)}), {4},
                 {0, 0.3, 0.6, 0.9});
}

TEST(RangeTest, IsExactFarFromZeroAndRefusesNonsense) {
  const std::int64_t far = std::int64_t{1} << 60;
  EXPECT_EQ(range(far, far + 3, 2).integers(), (std::vector<std::int64_t>{far, far + 2}));
  EXPECT_THROW(range(0, 1, 0), InputError);
  EXPECT_THROW(range(INT64_MIN, INT64_MAX, 1), InputError);
  EXPECT_THROW(run_one({"Range"}, {Tensor::scalar(0.0f), Tensor::scalar(1.0f), Tensor::scalar(1e-30f)}), InputError);
}

TEST(WindowTest, PeriodicAndSymmetric) {
  const Tensor size = Tensor::scalar<std::int64_t>(4);
  expect_numbers(run_one({"HannWindow"}, {size}), {4}, {0, 0.5, 1, 0.5});
  expect_numbers(run_one({"HannWindow", 24, {attribute("periodic", std::int64_t{0})}}, {size}), {4},
                 {0, 0.75, 0.75, 0});
  expect_numbers(run_one({"HammingWindow"}, {size}), {4}, {4.0 / 46, 25.0 / 46, 1, 25.0 / 46});
  expect_numbers(run_one({"BlackmanWindow"}, {size}), {4}, {0, 0.34, 1, 0.34});
  EXPECT_THROW(run_one({"HannWindow"}, {Tensor::scalar<std::int64_t>(-1)}), InputError);
}

TEST(CumulativeTest, SumsAlongAnAxisInBothDirections) {
  const Tensor x = counting({2, 3}), last = Tensor::scalar<std::int64_t>(-1);
  expect_numbers(run_one({"CumSum"}, {x, Tensor::scalar<std::int32_t>(0)}), {2, 3}, {0, 1, 2, 3, 5, 7});
  expect_numbers(run_one({"CumSum"}, {x, last}), {2, 3}, {0, 1, 3, 3, 7, 12});
  expect_numbers(run_one({"CumSum", 24, {attribute("exclusive", std::int64_t{1})}}, {x, last}), {2, 3},
                 {0, 0, 1, 0, 3, 7});
  expect_numbers(run_one({"CumSum", 24, {attribute("reverse", std::int64_t{1})}}, {x, last}), {2, 3},
                 {3, 3, 2, 12, 9, 5});
  EXPECT_THROW(run_one({"CumSum"}, {x, Tensor::scalar<std::int64_t>(2)}), InputError);
  expect_numbers(run_one({"CumSum"}, {floats({}, {0}), last}), {0}, {});
}

TEST(CumulativeTest, Multiplies) {
  const Tensor x = int64s({2, 3, 4}, {3}), axis = Tensor::scalar<std::int64_t>(0);
  expect_numbers(run_one({"CumProd", 26}, {x, axis}), {3}, {2, 6, 24});
  expect_numbers(run_one({"CumProd", 26, {attribute("exclusive", std::int64_t{1})}}, {x, axis}), {3}, {1, 2, 6});
}

TEST(CreationTest, InfersSymbolicSizes) {
  EXPECT_EQ(inferred_type({"ConstantOfShape"}, {Type::tensor(ElementType::int64, {3})}), "float[?,?,?]");
  const Type scalar = Type::tensor(ElementType::int32, Shape{});
  EXPECT_EQ(inferred_type({"Range"}, {scalar, scalar, scalar}), "int32[?]");
}

}  // namespace
}  // namespace hone
