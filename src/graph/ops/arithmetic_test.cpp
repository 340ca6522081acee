#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

Tensor int32s(std::initializer_list<std::int32_t> elements, Dims dims) {
  return Tensor::of<std::int32_t>(elements, std::move(dims));
}

TEST(ArithmeticTest, BroadcastsRowsColumnsAndScalars) {
  const Tensor matrix = counting({2, 3});
  expect_numbers(run_one({"Add"}, {matrix, floats({10, 20, 30}, {3})}), {2, 3}, {10, 21, 32, 13, 24, 35});
  expect_numbers(run_one({"Add"}, {matrix, floats({10, 20}, {2, 1})}), {2, 3}, {10, 11, 12, 23, 24, 25});
  expect_numbers(run_one({"Sub"}, {floats({10}, {}), matrix}), {2, 3}, {10, 9, 8, 7, 6, 5});
  expect_numbers(run_one({"Mul"}, {floats({1, 2}, {2, 1}), floats({3, 4}, {1, 2})}), {2, 2}, {3, 4, 6, 8});
}

TEST(ArithmeticTest, BroadcastsInTheMiddle) {
  // Axes 0 and 2 come from the one, axis 1 from the other.
  const Tensor y = run_one({"Add"}, {counting({2, 1, 3}), floats({0, 10}, {2, 1})});
  expect_numbers(y, {2, 2, 3}, {0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15});
}

TEST(ArithmeticTest, EmptyTensorsStayEmpty) {
  expect_numbers(run_one({"Add"}, {floats({}, {0, 3}), floats({1, 2, 3}, {3})}), {0, 3}, {});
  expect_numbers(run_one({"Max"}, {floats({}, {2, 0}), floats({1}, {1})}), {2, 0}, {});
}

TEST(ArithmeticTest, RefusesShapesThatDoNotBroadcast) {
  EXPECT_THROW(run_one({"Add"}, {counting({2}), counting({3})}), InputError);
  EXPECT_THROW(inferred_type({"Add"}, {float_type({2}), float_type({3})}), InputError);
}

TEST(ArithmeticTest, RefusesMixedElementTypes) {
  EXPECT_THROW(run_one({"Add"}, {counting({2}), int64s({1, 2}, {2})}), InputError);
}

TEST(ArithmeticTest, AlignsTheOldWayBeforeOpsetSeven) {
  const Attributes along_rows = {{"broadcast", std::int64_t{1}, "", {}}, {"axis", std::int64_t{0}, "", {}}};
  const Tensor y = run_one({"Add", 6, along_rows}, {counting({2, 3}), floats({10, 20}, {2})});
  expect_numbers(y, {2, 3}, {10, 11, 12, 23, 24, 25});
  EXPECT_THROW(run_one({"Add", 7, along_rows}, {counting({2, 3}), floats({10, 20}, {2})}), InputError);
}

TEST(ArithmeticTest, IntegersWrap) {
  const Tensor bytes = Tensor::of<std::int8_t>({127, -128}, {2});
  expect_numbers(run_one({"Add"}, {bytes, Tensor::scalar<std::int8_t>(1)}), {2}, {-128, -127});
  expect_numbers(run_one({"Mul"}, {int32s({65536}, {1}), int32s({65537}, {1})}), {1}, {65536});
  expect_numbers(run_one({"Neg"}, {bytes}), {2}, {-127, -128});
  expect_numbers(run_one({"Abs"}, {bytes}), {2}, {127, -128});
}

TEST(ArithmeticTest, IntegerDivisionTruncatesAndNeverTraps) {
  const std::int32_t smallest = std::numeric_limits<std::int32_t>::min();
  const Tensor y = run_one({"Div"}, {int32s({7, -7, 7, 5, smallest}, {5}), int32s({2, 2, -2, 0, -1}, {5})});
  expect_numbers(y, {5}, {3, -3, -3, 0, static_cast<double>(smallest)});
}

TEST(ArithmeticTest, ModTakesTheSignOfTheDivisorAndFmodOfTheDividend) {
  const Tensor a = int32s({-4, 7, 5, 4, -7, 8, 3}, {7}), b = int32s({2, -3, 8, -2, 3, 5, 0}, {7});
  expect_numbers(run_one({"Mod"}, {a, b}), {7}, {0, -2, 5, 0, 2, 3, 0});
  expect_numbers(run_one({"Mod", 24, {{"fmod", std::int64_t{1}, "", {}}}}, {a, b}), {7}, {0, 1, 5, 0, -1, 3, 0});
}

TEST(ArithmeticTest, PowMixesTypesAndKeepsTheBase) {
  expect_numbers(run_one({"Pow"}, {floats({2, 4, 9}, {3}), Tensor::scalar(0.5)}), {3}, {1.41421356, 2, 3});
  const Tensor whole = run_one({"Pow"}, {int64s({3, -2, 2, 1}, {4}), int32s({39, 63, -1, -5}, {4})});
  EXPECT_EQ(whole.integers(), (std::vector<std::int64_t>{4052555153018976267, INT64_MIN, 0, 1}));
  expect_numbers(run_one({"Pow"}, {int32s({4, 9}, {2}), floats({0.5f}, {1})}), {2}, {2, 3});
}

TEST(ArithmeticTest, RoundTakesTiesToEven) {
  expect_numbers(run_one({"Round"}, {floats({0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2.4f}, {6})}), {6}, {0, 2, 2, 0, -2, 2});
}

TEST(ArithmeticTest, ExtremesPropagateNotANumber) {
  const Tensor a = floats({1, kNaN, 3}, {3}), b = floats({2, 2, kNaN}, {3});
  expect_numbers(run_one({"Max"}, {a, b}), {3}, {2, kNaN, kNaN});
  expect_numbers(run_one({"Min"}, {a, b, floats({0}, {1})}), {3}, {0, kNaN, kNaN});
}

TEST(ArithmeticTest, MeanRoundsHalvesOnce) {
  // In halves 2048 + 1 is 2048 again, so adding in them would give 2048 / 3.
  const auto half = [](float x) { return Tensor::of<Float16>({Float16(x)}, {1}); };
  const Tensor y = run_one({"Mean"}, {half(2048), half(1), half(1)});
  EXPECT_EQ(y.values<Float16>()[0].bits, Float16(2050.0f / 3).bits);
}

TEST(ArithmeticTest, ShiftsOfTheWholeWidthGiveZero) {
  const Tensor values = Tensor::of<std::uint8_t>({1, 200, 255}, {3}),
               distances = Tensor::of<std::uint8_t>({7, 1, 8}, {3});
  expect_numbers(run_one({"BitShift", 24, {{"direction", std::string("LEFT"), "", {}}}}, {values, distances}), {3},
                 {128, 144, 0});
  expect_numbers(run_one({"BitShift", 24, {{"direction", std::string("RIGHT"), "", {}}}}, {values, distances}), {3},
                 {0, 100, 0});
  EXPECT_THROW(run_one({"BitShift", 24, {{"direction", std::string("UP"), "", {}}}}, {values, distances}), InputError);
}

TEST(ArithmeticTest, SignKeepsNotANumber) {
  expect_numbers(run_one({"Sign"}, {floats({-3, 0, 8, kNaN}, {4})}), {4}, {-1, 0, 1, kNaN});
}

TEST(ArithmeticTest, InfersSymbolicShapes) {
  const Dim n = Dim::symbol("n");
  EXPECT_EQ(inferred_type({"Mul"}, {float_type({n, 1}), float_type({4})}), "float[n,4]");
  EXPECT_EQ(inferred_type({"Max"}, {float_type({n}), float_type({3, 1}), float_type({})}), "float[3,n]");
}

}  // namespace
}  // namespace hone
