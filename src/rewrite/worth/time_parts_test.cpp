#include "rewrite/worth/time_parts.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"
#include "rewrite/search/zoo_model_test.h"

namespace hone {
namespace {

/// Every node takes a second.
class OneSecondEach final : public NodePricing {
 public:
  double seconds(const PricedNode&) const override { return 1; }
};

TimeParts parts_of_text(std::string_view text) {
  const Model model = typed_model(text);
  const OneSecondEach pricing;
  const RewriteSpace space(model, Matcher({}, RuleSetting::of(model)), pricing);
  return time_parts(space, space.start()->graph);
}

TEST(TimePartsTest, WhatARuntimeMayFuseIsApart) {
  const TimeParts parts = parts_of_text(R"(g (float[1,2,8,8] x, float[2,2,3,3] w) => (y, z)
    <float[2,2,1,1] v = {1,2,3,4}> {
      a = Conv<pads = [1,1,1,1]>(x, w)
      r = Relu(a)
      c = Conv(r, v)
      y = Add(c, x)
      z = Relu(x) })");
  EXPECT_EQ(parts[TimePart::spatial_convolution], 1);
  EXPECT_EQ(parts[TimePart::pointwise_convolution], 1);
  EXPECT_EQ(parts[TimePart::activation_after_convolution], 1);
  EXPECT_EQ(parts[TimePart::addition_after_convolution], 1);
  EXPECT_EQ(parts[TimePart::activation], 1);
  EXPECT_EQ(parts.sum_of_nodes(), 5);
}

TEST(TimePartsTest, WhatHasOtherReadersIsNotFused) {
  const TimeParts parts = parts_of_text(R"(g (float[1,2,8,8] x) => (y, z) <float[2,2,1,1] v = {1,2,3,4}> {
      a = Conv(x, v)
      y = Relu(a)
      z = Neg(a) })");
  EXPECT_EQ(parts[TimePart::activation], 1);
  EXPECT_EQ(parts[TimePart::activation_after_convolution], 0);
}

TEST(TimePartsTest, RecognisesANormalizationAndAGeluSpelledOut) {
  const TimeParts parts = parts_of_text(R"(g (float[2,8] x, float[2,8] u) => (y, z)
    <float two = {2}, float tiny = {0.001}, float[1] s = {3}, float[1] b = {4}, float one = {1}, float half = {0.5}> {
      m = ReduceMean<axes = [1]>(x)
      d = Sub(x, m)
      p = Pow(d, two)
      v = ReduceMean<axes = [1]>(p)
      e = Add(v, tiny)
      q = Sqrt(e)
      n = Div(d, q)
      k = Mul(n, s)
      y = Add(k, b)
      g1 = Mul(u, half)
      g2 = Erf(g1)
      g3 = Add(g2, one)
      g4 = Mul(u, g3)
      z = Mul(g4, half) })");
  EXPECT_EQ(parts[TimePart::part_of_normalization], 9);
  EXPECT_EQ(parts[TimePart::part_of_gelu], 5);
}

TEST(TimePartsTest, CountsBytesThatLeaveTheBlockedLayout) {
  const auto reordered = [](std::string_view between) {
    return parts_of_text(fmt::format(R"(g (float[1,2,8,8] x) => (y) <float[2,2,1,1] v = {{1,2,3,4}}> {{
      a = Conv(x, v)
      b = {}
      y = Conv(b, v) }})",
                                     between))[TimePart::reordering];
  };
  EXPECT_GT(reordered("Transpose<perm = [0,1,3,2]>(a)"), reordered("Relu(a)"));
}

TEST(TimePartsTest, NodesOverConstantsAloneTakeNothing) {
  EXPECT_EQ(parts_of_text("g (float[2] x) => (y) <float[2] a = {1,2}> { b = Neg(a) y = Add(x, b) }").sum_of_nodes(), 1);
}

TEST(TimePartsTest, PartsOfNodesAddUpToThePriceOfTheGraph) {
  const Model model = clean_zoo_model("squeezenet:weights=zero");
  const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
  const RewriteSpace space(model, Matcher(select_rules("all"), RuleSetting::of(model)), pricing);
  StatePointer state = space.start();
  for (int step = 0; step < 10; ++step) {
    EXPECT_NEAR(time_parts(space, state->graph).sum_of_nodes(), state->seconds, 1e-9);
    const std::vector<RewriteOption> options = space.options(*state);
    if (options.empty()) break;
    state = space.take(state, options[options.size() / 3]);
  }
}

}  // namespace
}  // namespace hone
