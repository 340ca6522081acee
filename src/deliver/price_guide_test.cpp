#include "deliver/price_guide.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/clean/clean_case_test.h"
#include "learn/rewrite/first_prices_test.h"

namespace hone {
namespace {

Proposal sum_of_width(int width) {
  return {.model = std::make_shared<const Model>(typed_model(
              fmt::format("net (float[64, {0}] x) => (float[64, {0}] y) {{ a = Tanh(x) y = Add(a, x) }}", width))),
          .options = {},
          .steps = {}};
}

/// An option that prices nobody has taught expect nothing of.
const Move kPricedOption = {.kind = Move::Kind::option,
                            .name = "without MatMulAddFusion",
                            .apply = [](const Proposal& from) -> std::optional<Proposal> {
                              Proposal to = from;
                              to.steps.push_back({.part = Part::runtime, .name = "without MatMulAddFusion"});
                              return to;
                            }};

RacedProposal timed_option(const Proposal& start, double ratio) {
  return {*kPricedOption.apply(start),
          {.ratio = ratio, .low = 0.99 * ratio, .high = 1.01 * ratio, .certain_low = ratio, .certain_high = ratio}};
}

class PriceGuideTest : public ::testing::Test {
 protected:
  PriceGuideTest() {
    request_.make_static = [](Model& model) { infer_types(model); };
    request_.record_price_lesson = [this](const PriceLesson& lesson) { request_.price_lessons.push_back(lesson); };
  }

  PriceGuide guide() const { return {prices_, request_}; }
  /// Whether the option is worth timing by what is known before anything of the model is.
  bool tries_option(const Proposal& start) const {
    std::vector<Move> options = {kPricedOption};
    DecisionLog log;
    const std::vector<Move> moves = guide().ordered(start, options, log, 10);
    return std::ranges::find(moves, kPricedOption.name, &Move::name) != moves.end();
  }

  TemporaryFolder folder_;
  const GraphPrices prices_ = *GraphPrices::of(first_prices(folder_.path()), "some");
  DeliveryRequest request_;
};

TEST_F(PriceGuideTest, WhatWasSlowerOnSeveralModelsIsLeftOutOfTheNext) {
  EXPECT_TRUE(tries_option(sum_of_width(512)));
  for (const int width : {64, 128, 192, 256}) {
    const Proposal start = sum_of_width(width);
    const RacedProposal timed[] = {timed_option(start, 1.2), timed_option(start, 1.2)};
    guide().teach(start, timed);
  }
  EXPECT_EQ(request_.price_lessons.size(), 4u);
  EXPECT_FALSE(tries_option(sum_of_width(512)));
}

TEST_F(PriceGuideTest, NothingTimedTeachesNothing) {
  guide().teach(sum_of_width(64), {});
  EXPECT_TRUE(request_.price_lessons.empty());
}

}  // namespace
}  // namespace hone
