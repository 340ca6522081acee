#include "rewrite/proof/perturbed.h"

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

Tensor numbers(std::initializer_list<double> elements) {
  Tensor tensor = Tensor::zeros(ElementType::float64, {static_cast<std::int64_t>(elements.size())});
  std::size_t at = 0;
  for (const double element : elements) tensor.set_number(at++, element);
  return tensor;
}

/// Whether rounding explains what becomes of a cast of x / 3 when the quotient is written otherwise.
bool explains(std::string_view quotient, const Tensor& x) {
  const auto model = [](std::string_view text) {
    return typed_model(fmt::format(R"(g (double[2] x) => (y)
      <double three = {{3}}, double third = {{0.3333333333333333}}, double small = {{0.0001}}> {{
        q = {}
        y = Cast<to = 7>(q) }})",
                                   text));
  };
  const std::vector<Datum> inputs{x};
  return !unexplained_by_rounding(model("Div(x, three)"), model(quotient), inputs);
}

TEST(PerturbedTest, ACastOfWhatIsNearlyWholeMayGoEitherWay) {
  // 2 and 1, or 1 and 1: both can come of six thirds.
  EXPECT_TRUE(explains("Mul(x, third)", numbers({6, 4})));
  EXPECT_TRUE(explains("Sub(x, three)", numbers({4.5, 4.5})));
}

TEST(PerturbedTest, ElementsThatLieApartFromJumpsMustAgree) {
  EXPECT_FALSE(explains("Add(x, third)", numbers({6, 4})));  // 6 is no result of rounding 2
  EXPECT_FALSE(explains("Sub(x, three)", numbers({6, 4})));  // 3 is too much
  EXPECT_FALSE(explains("Sub(x, three)", numbers({4.5, 7})));
  EXPECT_FALSE(explains("Neg(x)", numbers({3, 3})));
}

TEST(PerturbedTest, ContinuousResultsKeepTheirTolerance) {
  const auto model = [](std::string_view text) {
    return typed_model(fmt::format(
        "g (double[2] x) => (y) <double c = {{1.0001}}, double d = {{1.00000001}}> {{ y = Mul(x, {}) }}", text));
  };
  const std::vector<Datum> inputs{numbers({1, 2})};
  const Model same = typed_model("g (double[2] x) => (y) { y = Identity(x) }");
  EXPECT_FALSE(unexplained_by_rounding(same, model("d"), inputs));
  EXPECT_TRUE(unexplained_by_rounding(same, model("c"), inputs));
}

}  // namespace
}  // namespace hone
