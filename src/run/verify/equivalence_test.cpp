#include "run/verify/equivalence.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

Model with_random_weight(std::string_view text, Dims dims) {
  Model model = typed_model(text);
  Tensor weight = Tensor::zeros(ElementType::float32, std::move(dims));
  Rng rng(3);
  for (std::size_t i = 0; i < weight.count(); ++i) weight.set_number(i, rng.normal());
  model.graph.set_constant(*model.graph.find_value("w"), weight);
  return model;
}

/// Large numbers that cancel: what is left has an error far beyond a fixed tolerance, however it is computed.
Model cancelling(std::string_view body) {
  return with_random_weight(fmt::format("g (float[64] x) => (y) <float[64] w = {{{}}}, float k = {{3000}}> {{ {} }}",
                                        fmt::join(std::vector<int>(64, 0), ","), body),
                            {64});
}

TEST(EquivalenceTest, ARewritingAsAccurateAsTheOriginalIsEqualWhereAFixedToleranceRefusesIt) {
  const Model original = cancelling("a = Mul(x, k) b = Add(a, w) c = Add(b, w) y = Sub(c, a)");
  const Model rewritten = cancelling("a = Mul(x, k) b = Add(w, w) c = Add(a, b) y = Sub(c, a)");
  const Equivalence found = check_equivalence(original, rewritten, {.random_inputs = 1});
  EXPECT_TRUE(found.equal) << found.reason;
  ASSERT_TRUE(found.outputs[0].errors);
  EXPECT_GT(found.outputs[0].errors->reference, 1e-5);
  EXPECT_NE(tolerance_text(found).find("the original's own is"), std::string::npos) << tolerance_text(found);
  EXPECT_FALSE(
      check_equivalence(original, rewritten, {.random_inputs = 1, .tolerance = default_tolerance(ElementType::float32)})
          .equal);
}

/// Divides by the root mean square, with an epsilon.
Model normalised(std::string_view epsilon) {
  return typed_model(
      fmt::format("g (float[8] x) => (y) <float e = {{{}}}> {{ s = Mul(x, x) m = ReduceMean<axes=[0]>(s)"
                  " v = Add(m, e) r = Sqrt(v) y = Div(x, r) }}",
                  epsilon));
}

TEST(EquivalenceTest, AFaultThatAFixedToleranceAcceptsIsSeenInDoublePrecision) {
  const Equivalence found = check_equivalence(normalised("0.00001"), normalised("0.000001"), {.random_inputs = 1});
  EXPECT_FALSE(found.equal);
  EXPECT_NE(found.reason.find("in double precision too"), std::string::npos) << found.reason;
  const Tolerance fixed = default_tolerance(ElementType::float32);
  EXPECT_TRUE(check_equivalence(normalised("0.00001"), normalised("0.000001"), {.tolerance = fixed}).equal);
}

TEST(EquivalenceTest, LessAccurateThanTheOriginalIsNotEqual) {
  const Model original = typed_model("g (float[64] x) => (y) { y = Softplus(x) }");
  const Model naive = typed_model(
      "g (float[64] x) => (y) <float k = {4096}> {"
      " p = Softplus(x) t = Add(p, k) y = Sub(t, k) }");
  const Equivalence found = check_equivalence(original, naive, {.random_inputs = 1});
  EXPECT_FALSE(found.equal);
  EXPECT_NE(found.reason.find("the original's own are"), std::string::npos) << found.reason;
}

TEST(EquivalenceTest, AnIndexMayBeThatOfEitherOfTwoThatAreNearlyEqual) {
  Movement movement({Tensor::of<std::int64_t>({0, 1, 1}, {3})});
  movement.add({Tensor::of<std::int64_t>({0, 0, 1}, {3})});
  const Tensor expected = Tensor::of<std::int64_t>({0, 1, 1}, {3});
  EXPECT_TRUE(movement.has_seen(0, Tensor::of<std::int64_t>({0, 0, 1}, {3}), expected));
  EXPECT_FALSE(movement.has_seen(0, Tensor::of<std::int64_t>({0, 1, 0}, {3}), expected));
  EXPECT_FALSE(movement.has_seen(0, Tensor::of<std::int64_t>({0, 1}, {2}), expected));
}

TEST(EquivalenceTest, AnIndexThatRoundingDoesNotChangeHasToBeTheSame) {
  const Model first = typed_model(
      "g (float[2] x) => (y) <float[2] w = {3.14159265, 1.71828183}> { t = Tanh(x) u = Add(t, w)"
      " y = ArgMax<axis=0,keepdims=1>(u) }");
  const Model last = typed_model("g (float[2] x) => (y) <int64[1] one = {1}> { y = Identity(one) }");
  EXPECT_TRUE(check_equivalence(first, first, {}).equal);
  EXPECT_FALSE(check_equivalence(first, last, {}).equal);
}

TEST(EquivalenceTest, InfinitiesOfTheOriginalHaveToBeThere) {
  const Model original =
      typed_model("g (float[2] x) => (y) <float[2] w = {200, 1}> { m = Abs(x) s = Add(m, w) y = Exp(s) }");
  EXPECT_TRUE(check_equivalence(original, original, {}).equal);
  const Model clipped = typed_model(
      "g (float[2] x) => (y) <float[2] w = {200, 1}, float top = {80}> { m = Abs(x) s = Add(m, w) c = Min(s, top)"
      " y = Exp(c) }");
  EXPECT_FALSE(check_equivalence(original, clipped, {}).equal);
}

}  // namespace
}  // namespace hone
