#include "run/reference/widened.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

double first_number(const Model& model, Precision precision, std::vector<Datum> inputs) {
  const std::vector<Datum> outputs = ReferenceInterpreter(model, 0, precision).run(inputs);
  return outputs[0].tensor().number_at(0);
}

TEST(DoubledPrecisionTest, KeepsWhatFloatsLose) {
  const Model model =
      typed_model("g (float[1] x) => (y) <float[1] big = {100000000}> { s = Add(x, big) y = Sub(s, big) }");
  const std::vector<Datum> inputs{Tensor::of<float>({1}, {1})};
  EXPECT_EQ(first_number(model, Precision::as_written, inputs), 0);
  EXPECT_EQ(first_number(model, Precision::doubled, inputs), 1);
}

TEST(DoubledPrecisionTest, ACastToHalfDoesNotRound) {
  const Model model = typed_model("g (float[1] x) => (y) { h = Cast<to=10>(x) y = Cast<to=1>(h) }");
  const std::vector<Datum> inputs{Tensor::of<float>({1.0001f}, {1})};
  EXPECT_EQ(first_number(model, Precision::as_written, inputs), 1);
  EXPECT_EQ(first_number(model, Precision::doubled, inputs), static_cast<double>(1.0001f));
}

TEST(DoubledPrecisionTest, ACastToAnIntegerStillTruncates) {
  const Model model = typed_model("g (float[1] x) => (y) { y = Cast<to=7>(x) }");
  EXPECT_EQ(first_number(model, Precision::doubled, {Tensor::of<float>({2.75f}, {1})}), 2);
}

TEST(DoubledPrecisionTest, OperatorsWithoutDoublesGetWhatWasWritten) {
  const Model model =
      typed_model("g (float[1] x) => (y) { q, s, z = DynamicQuantizeLinear(x) y = DequantizeLinear(q, s, z) }");
  const std::vector<Datum> inputs{Tensor::of<float>({3}, {1})};
  EXPECT_NEAR(first_number(model, Precision::doubled, inputs), 3, 1e-6);
}

TEST(DoubledPrecisionTest, BodiesAreDoubledToo) {
  const Model model = typed_model(
      "g (bool c, float[1] x) => (y) <float[1] big = {100000000}> {"
      " y = If(c) <then_branch = a () => (t) { s = Add(x, big) t = Sub(s, big) },"
      " else_branch = b () => (e) { e = Identity(x) }> }");
  const std::vector<Datum> inputs{Tensor::of<bool>({true}, {}), Tensor::of<float>({1}, {1})};
  EXPECT_EQ(first_number(model, Precision::doubled, inputs), 1);
}

TEST(DoubledPrecisionTest, TheRangeIsThatOfTheTypeWritten) {
  const Model model = typed_model("g (float[1] x) => (y) { s = Mul(x, x) y = Reciprocal(s) }");
  EXPECT_EQ(first_number(model, Precision::doubled, {Tensor::of<float>({1e30f}, {1})}), 0);
  EXPECT_EQ(first_number(model, Precision::doubled, {Tensor::of<float>({1e-30f}, {1})}), INFINITY);
  const Model half = typed_model("g (float16[1] x) => (y) { s = Mul(x, x) r = Cast<to=1>(s) y = Mul(r, r) }");
  EXPECT_EQ(first_number(half, Precision::doubled, {Tensor::of<Float16>({Float16(1000)}, {1})}), INFINITY);
  EXPECT_EQ(first_number(half, Precision::doubled, {Tensor::of<Float16>({Float16(100)}, {1})}), 1e8);
}

TEST(WidenedTest, ChangesFloatsAndHalvesOnly) {
  EXPECT_EQ(widened(Tensor::of<float>({1}, {1})).tensor().type(), ElementType::float64);
  EXPECT_EQ(widened(Tensor::of<Float16>({Float16(1)}, {1})).tensor().type(), ElementType::float64);
  EXPECT_EQ(widened(Tensor::of<std::int64_t>({1}, {1})).tensor().type(), ElementType::int64);
  const Datum list = widened(Sequence{.items = {Tensor::of<float>({1}, {1})}, .element = ElementType::float32});
  EXPECT_EQ(list.sequence().element, ElementType::float64);
  EXPECT_EQ(list.sequence().items[0].tensor().type(), ElementType::float64);
}

}  // namespace
}  // namespace hone
