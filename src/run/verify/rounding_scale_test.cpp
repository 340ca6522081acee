#include "run/verify/rounding_scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/clean/clean_case_test.h"
#include "run/verify/rounding_study.h"

namespace hone {
namespace {

/// An output of ones of which every element moves by a millionth.
RoundingScale scale_of_ones(std::size_t count, const Tensor& rounded) {
  std::vector<double> ones(count, 1), squares(count, 1e-12);
  return {rounded, Tensor::of<double>(ones, {static_cast<std::int64_t>(count)}), squares, 4};
}

Tensor floats(std::vector<float> numbers) {
  return Tensor::of<float>(numbers, {static_cast<std::int64_t>(numbers.size())});
}

TEST(RoundingScaleTest, ErrorsAreCountedInWhatElementsMove) {
  const RoundingScale scale = scale_of_ones(4, floats({1, 1, 1, 1}));
  const ErrorLevel errors = scale.errors_of(Tensor::of<double>({1, 1 + 4e-6, 1, 1}, {4}));
  EXPECT_NEAR(errors.largest, 4, 1e-3);
  EXPECT_NEAR(errors.typical, 2, 1e-3);
  EXPECT_NEAR(errors.absolute, 4e-6, 1e-12);
  EXPECT_TRUE(is_exact(errors));
  EXPECT_FALSE(is_exact(scale.errors_of(Tensor::of<double>({1, 1 + 4e-5, 1, 1}, {4}))));
  EXPECT_FALSE(is_exact(scale.errors_of(Tensor::of<double>({1 + 5e-6, 1 + 5e-6, 1 + 5e-6, 1 + 5e-6}, {4}))));
}

TEST(RoundingScaleTest, AccuracyIsMeasuredByTheOriginalsOwn) {
  const RoundingScale rough = scale_of_ones(2, floats({1.00002f, 0.99998f}));
  EXPECT_NEAR(rough.own_errors().absolute, 2e-5, 1e-6);
  EXPECT_TRUE(is_as_accurate(rough, rough.errors_of(floats({1.00006f, 1}))));
  EXPECT_FALSE(is_as_accurate(rough, rough.errors_of(floats({1.0002f, 1}))));
  const RoundingScale fine = scale_of_ones(2, floats({1, 1}));
  EXPECT_FALSE(is_as_accurate(fine, fine.errors_of(floats({1.00006f, 1}))));
}

TEST(RoundingScaleTest, WhereTheOriginalHasNoNumberNoneIsToBeFound) {
  const RoundingScale scale = scale_of_ones(2, floats({INFINITY, 1}));
  EXPECT_EQ(scale.errors_of(floats({INFINITY, 1})).largest, 0);
  EXPECT_EQ(scale.errors_of(floats({1, 1})).largest, 0);  // which is right
  EXPECT_EQ(scale.errors_of(floats({2, 1})).largest, INFINITY);
  EXPECT_EQ(scale.errors_of(floats({INFINITY, NAN})).largest, INFINITY);
}

TEST(RoundingScaleTest, NoiseAloneSaysNothing) {
  EXPECT_TRUE(scale_of_ones(2, floats({1, 1})).says_something());
  EXPECT_FALSE(scale_of_ones(2, floats({1.01f, 1})).says_something());
  const std::vector<double> squares{1e-6, 1e-6};
  EXPECT_FALSE(RoundingScale(floats({1, 1}), Tensor::of<double>({1, 1}, {2}), squares, 4).says_something());
}

TEST(RoundingStudyTest, TellsHowFarTheOriginalIsFromARunInDoublePrecision) {
  const Model model = typed_model("g (float[2] x) => (y) <float[2] k = {1000.123, 0}> { a = Add(x, k) y = Sub(a, k) }");
  const std::vector<std::vector<Datum>> inputs{{Tensor::of<float>({0.7182818f, 0.7182818f}, {2})}};
  const RoundingStudy study = study_rounding(model, inputs, 1);
  ASSERT_EQ(study.movements.size(), 1u) << study.obstacle;
  const auto scale = study.movements[0].scale(0, Tensor::of<float>({0.71826172f, 0.7182818f}, {2}));
  ASSERT_TRUE(scale);
  EXPECT_NEAR(scale->own_errors().absolute, 2e-5, 1e-6);
}

TEST(RoundingStudyTest, AModelThatWouldTakeTooLongIsLeftAlone) {
  const Model model = typed_model("g (float[4000,4000] x) => (y) { a = MatMul(x, x) y = ReduceMax<keepdims=0>(a) }");
  const std::vector<std::vector<Datum>> inputs{{Tensor::zeros(ElementType::float32, {4000, 4000})}};
  const RoundingStudy study = study_rounding(model, inputs, 1);
  EXPECT_TRUE(study.movements.empty());
  EXPECT_NE(study.obstacle.find("operations"), std::string::npos) << study.obstacle;
}

}  // namespace
}  // namespace hone
