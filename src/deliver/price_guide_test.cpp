#include "deliver/price_guide.h"

#include <gtest/gtest.h>

#include "deliver/rule_moves.h"
#include "graph/clean/clean_case_test.h"
#include "learn/rewrite/first_prices_test.h"

namespace hone {
namespace {

constexpr std::string_view kGuidedFamily = "rules kernels_softplus";

Proposal softplus_of(int width) {
  return {.model = std::make_shared<const Model>(typed_model(
              fmt::format("net (float[64, {0}] x) => (float[64, {0}] y) {{ a = Exp(x) y = Softplus(a) }}", width))),
          .options = {},
          .steps = {}};
}

/// The family applied to a proposal and timed to take so much longer than that.
RacedProposal timed_family(const Proposal& start, double ratio) {
  DecisionLog log;
  for (const Move& move : rule_moves({}))
    if (move.name == kGuidedFamily)
      return {*made(move, start, log),
              {.ratio = ratio, .low = 0.99 * ratio, .high = 1.01 * ratio, .certain_low = {}, .certain_high = {}}};
  throw std::logic_error("no such family");
}

class PriceGuideTest : public ::testing::Test {
 protected:
  PriceGuideTest() {
    request_.make_static = [](Model& model) { infer_types(model); };
    request_.record_price_lesson = [this](const PriceLesson& lesson) { taught_.push_back(lesson); };
  }

  PriceGuide guide() const { return PriceGuide(prices_, request_); }
  /// Whether the family is worth timing by what is known before anything of the model is.
  bool tries_family(const Proposal& start) const {
    std::vector<Move> options;
    DecisionLog log;
    const std::vector<Move> moves = guide().ordered(start, options, log, 10);
    return std::ranges::find(moves, kGuidedFamily, &Move::name) != moves.end();
  }

  TemporaryFolder folder_;
  const GraphPrices prices_ = *GraphPrices::of(first_prices(folder_.path()), "some");
  DeliveryRequest request_;
  std::vector<PriceLesson> taught_;
};

TEST_F(PriceGuideTest, WhatOneModelTaughtIsExpectedOfTheNext) {
  const Proposal first = softplus_of(512), next = softplus_of(256);
  const RacedProposal slower[] = {timed_family(first, 4)}, faster[] = {timed_family(first, 0.25)};
  guide().teach(first, slower);
  guide().teach(first, faster);
  ASSERT_EQ(taught_.size(), 2u);
  request_.price_lessons = {taught_[0]};
  EXPECT_FALSE(tries_family(next));
  request_.price_lessons = {taught_[1]};
  EXPECT_TRUE(tries_family(next));
}

TEST_F(PriceGuideTest, NothingTimedTeachesNothing) {
  guide().teach(softplus_of(64), {});
  EXPECT_TRUE(taught_.empty());
}

}  // namespace
}  // namespace hone
