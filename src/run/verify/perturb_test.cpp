#include "run/verify/perturb.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

TEST(PerturbTest, MovesNumbersByAtMostAUnitInTheLastPlaceEitherWay) {
  std::vector<float> numbers;
  for (int i = 1; i <= 300; ++i) numbers.push_back(std::sqrt(static_cast<float>(i)) / 7 * (i % 2 == 0 ? 1.0f : -1.0f));
  const Tensor tensor = Tensor::of<float>(numbers, {300});
  const Tensor moved = moved_by_a_unit(tensor, Rng(1));
  int up = 0, down = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float number = moved.values<float>()[i];
    const bool is_near = number == numbers[i] || number == std::nextafter(numbers[i], INFINITY) ||
                         number == std::nextafter(numbers[i], -INFINITY);
    EXPECT_TRUE(is_near) << i;
    up += number > numbers[i] ? 1 : 0;
    down += number < numbers[i] ? 1 : 0;
  }
  EXPECT_GT(up, 50);
  EXPECT_GT(down, 50);
  EXPECT_EQ(moved, moved_by_a_unit(tensor, Rng(1)));
  EXPECT_FALSE(moved == moved_by_a_unit(tensor, Rng(2)));
}

TEST(PerturbTest, NumbersOfFewDigitsAndWhatIsNoNumberStay) {
  const Tensor plain = Tensor::of<float>({0, 1, -2, 0.5f, 1.5f, 640, INFINITY, -INFINITY}, {8});
  EXPECT_EQ(moved_by_a_unit(plain, Rng(1)), plain);
  const Tensor indices = Tensor::of<std::int64_t>({3, 1}, {2});
  EXPECT_EQ(moved_by_a_unit(indices, Rng(1)), indices);
}

TEST(PerturbTest, HalvesAndDoublesMoveInTheirOwnUnits) {
  std::vector<Float16> halves;
  std::vector<double> doubles;
  for (int i = 1; i <= 100; ++i) {
    halves.emplace_back(std::sqrt(static_cast<float>(i)) / 3);
    doubles.push_back(std::sqrt(i) / 3);
  }
  const Tensor half = Tensor::of<Float16>(halves, {100}), wide = Tensor::of<double>(doubles, {100});
  const Tensor moved_half = moved_by_a_unit(half, Rng(1)), moved_wide = moved_by_a_unit(wide, Rng(1));
  EXPECT_FALSE(moved_half == half);
  EXPECT_FALSE(moved_wide == wide);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(moved_half.number_at(i) / half.number_at(i), 1, 0x1.0p-9);
    EXPECT_NEAR(moved_wide.number_at(i) / wide.number_at(i), 1, 0x1.0p-51);
  }
}

TEST(PerturbTest, WeightsOfBodiesMoveWithTheOthers) {
  const Model model = typed_model(
      "g (bool c, float[3] x) => (y) <float[3] w = {0.123456789, 3.14159265, 2.71828183}> {"
      " m = Mul(x, w)"
      " y = If(c) <then_branch = a () => (t) <float[3] v = {0.693147181, 1.41421356, 1.73205081}> { t = Add(m, v) },"
      " else_branch = b () => (e) { e = Identity(m) }> }");
  const auto weight = [](const Graph& graph) { return *graph.value(graph.initializers()[0]).constant; };
  int outer = 0, inner = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Model moved = with_weights_moved(model, Rng(seed));
    outer += weight(moved.graph) == weight(model.graph) ? 0 : 1;
    inner += weight(body_of(moved, "then_branch")) == weight(body_of(model, "then_branch")) ? 0 : 1;
  }
  EXPECT_GT(outer, 5);
  EXPECT_GT(inner, 5);
}

}  // namespace
}  // namespace hone
