#include "deliver/climb.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hone {
namespace {

/// Says what a table holds: how long a proposal takes is the product of the factors of its steps.
class FactorJudge : public Judge {
 public:
  explicit FactorJudge(std::map<std::string, double> factors) : factors_(std::move(factors)) {}

  Measurement judge(std::span<const Proposal> proposals, double) override {
    Measurement measurement;
    for (const Proposal& proposal : proposals) {
      Measured& measured = measurement.models.emplace_back();
      if (time_of(proposal) < 0) measured.failure = "died";
      else if (measurement.models.size() > 1) measured.ratio = ratio_of(time_of(proposal) / time_of(proposals[0]));
    }
    timed_ += proposals.size() - 1;
    return measurement;
  }

  double time_of(const Proposal& proposal) const {
    double time = 1;
    for (const Step& step : proposal.steps) time *= factors_.at(step.name);
    return time;
  }
  std::size_t timed() const { return timed_; }

 private:
  static RatioEstimate ratio_of(double ratio) {
    return {.ratio = ratio,
            .low = ratio * 0.99,
            .high = ratio * 1.01,
            .certain_low = ratio * 0.98,
            .certain_high = ratio * 1.02,
            .differs = ratio < 0.98 || ratio > 1.02};
  }
  std::map<std::string, double> factors_;
  std::size_t timed_ = 0;
};

Move step(const std::string& name, Move::Kind kind = Move::Kind::model) {
  return {.kind = kind, .name = name, .apply = [name, kind](const Proposal& from) -> std::optional<Proposal> {
            Proposal to = from;
            to.steps.push_back({.part = kind == Move::Kind::model ? Part::model : Part::runtime, .name = name});
            return to;
          }};
}

std::string steps_of(const Proposal& proposal) {
  std::string text;
  for (const Step& each : proposal.steps) text += (text.empty() ? "" : ", ") + each.name;
  return text;
}

const Proposal kStart{.model = std::make_shared<const Model>(), .options = {}, .steps = {}};
const ProposalCheck kAnything = [](const Proposal&) { return std::nullopt; };

TEST(ClimbTest, KeepsWhatIsFasterAndChangesOfTheModelFirst) {
  FactorJudge judge({{"a", 0.9}, {"b", 0.8}, {"c", 1.3}, {"option", 0.5}});
  const Move moves[] = {step("option", Move::Kind::option), step("a"), step("b"), step("c")};
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {}).run(kStart, moves, log)), "b, a, option");
  EXPECT_EQ(log.size(), 4u);
}

TEST(ClimbTest, TriesLevelsLastWhateverTheirNames) {
  FactorJudge judge({{"a", 0.5}, {"level", 0.9}, {"option", 0.8}});
  const Move moves[] = {step("a", Move::Kind::level), step("level"), step("option", Move::Kind::option)};
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {}).run(kStart, moves, log)), "level, option, a");
}

TEST(ClimbTest, TriesFirstWhatTimesMakeSomebodyWantTogether) {
  FactorJudge judge({{"a", 0.9}, {"b", 0.8}, {"c", 1.3}, {"both", 0.5}});
  const Move moves[] = {step("a"), step("b"), step("c")};
  Climb climb(judge, kAnything, {});
  std::map<std::string, double> told;
  climb.combine_by([&](std::span<const RacedProposal> timed, Wish) {
    for (const RacedProposal& each : timed) told[steps_of(each.proposal)] = each.ratio.ratio;
    return std::optional(step("both"));
  });
  DecisionLog log;
  EXPECT_TRUE(steps_of(climb.run(kStart, moves, log)).starts_with("both"));
  EXPECT_EQ(told, (std::map<std::string, double>{{"a", 0.9}, {"b", 0.8}, {"both", 0.5}, {"c", 1.3}}));
}

TEST(ClimbTest, WhatWasTriedTogetherChangesWhatIsWanted) {
  FactorJudge judge({{"a", 0.9}, {"b", 0.8}, {"first", 0.7}, {"second", 0.6}, {"third", 0.65}});
  const Move moves[] = {step("a")};
  Climb climb(judge, kAnything, {.seconds = 1000});
  const std::vector<std::string> wanted = {"first", "second", "second", "third", "second", "third"};
  const std::vector<Wish> wishes = {Wish::likely, Wish::likely, Wish::likely, Wish::bold, Wish::likely, Wish::bold};
  std::map<std::string, double> told;
  std::size_t asked = 0;
  climb.combine_by([&](std::span<const RacedProposal> timed, Wish wish) {
    for (const RacedProposal& each : timed) told[steps_of(each.proposal)] = each.ratio.ratio;
    EXPECT_EQ(wish, wishes.at(asked)) << asked;
    return std::optional(step(wanted.at(asked++)));
  });
  DecisionLog log;
  EXPECT_EQ(steps_of(climb.run(kStart, moves, log)), "second, a");
  EXPECT_EQ(asked, wanted.size());         // what is wanted in the end was tried before, by either wish
  EXPECT_NEAR(told["second"], 0.6, 1e-9);  // over the start, whatever it was timed beside
  EXPECT_NEAR(told["third"], 0.65, 1e-9);
  EXPECT_EQ(log[0].subject, "first");
  EXPECT_EQ(log[2].verdict, Verdict::rejected);
}

TEST(ClimbTest, TellsHowMuchOfItsBudgetIsGone) {
  FactorJudge judge({{"a", 0.9}});
  const Move moves[] = {step("a")};
  DecisionLog log;
  Climb climb(judge, kAnything, {.evaluations = 4});
  EXPECT_EQ(climb.share_done(), 0);
  climb.run(kStart, moves, log);
  EXPECT_EQ(climb.share_done(), 0.75);  // the first lap, the second, and one step
}

TEST(ClimbTest, ADifferenceWithinItsErrorIsNoStep) {
  FactorJudge judge({{"a", 0.998}});
  const Move moves[] = {step("a")};
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {}).run(kStart, moves, log)), "");
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].verdict, Verdict::rejected);
  EXPECT_EQ(log[0].reason, "not faster than what was kept before by more than chance");
}

TEST(ClimbTest, TheBetterHalfOfManyIsTimedAgain) {
  std::map<std::string, double> factors;
  std::vector<Move> moves;
  for (int i = 0; i < 12; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    factors[name] = 0.98 - 0.01 * i;
    moves.push_back(step(name));
  }
  FactorJudge judge(factors);
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {.seconds = 1000}).run(kStart, moves, log)), "l, k, j, i, h, g");
  EXPECT_EQ(judge.timed(), 12u + 6u + 6u);
  EXPECT_EQ(log.size(), moves.size());
  EXPECT_EQ(log[0].subject, "a");
  EXPECT_EQ(log[0].reason, "others looked better");
}

TEST(ClimbTest, WhatChangesResultsIsNamedAndLeftOut) {
  FactorJudge judge({{"wrong", 0.5}, {"right", 0.9}});
  const Move moves[] = {step("wrong"), step("right")};
  const ProposalCheck check = [](const Proposal& proposal) {
    return proposal.steps.back().name == "wrong" ? std::optional<std::string>("output 'y' differs") : std::nullopt;
  };
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, check, {}).run(kStart, moves, log)), "right");
  EXPECT_EQ(log[0].subject, "wrong");
  EXPECT_NE(log[0].reason.find("output 'y' differs"), std::string::npos);
}

TEST(ClimbTest, WhatDoesNotRunIsLeftOut) {
  FactorJudge judge({{"crash", -1}});
  const Move moves[] = {step("crash")};
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {}).run(kStart, moves, log)), "");
  EXPECT_NE(log.at(0).reason.find("died"), std::string::npos);
}

TEST(ClimbTest, TheBudgetOfEvaluationsEndsIt) {
  FactorJudge judge({{"a", 0.9}, {"b", 0.8}});
  const Move moves[] = {step("a"), step("b")};
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {.evaluations = 5}).run(kStart, moves, log)), "b");
  EXPECT_EQ(judge.timed(), 5u);
  EXPECT_EQ(log.back().verdict, Verdict::skipped);  // it was faster in the race, so that it is not called rejected
  EXPECT_NE(log.back().reason.find("the budget ended before it was tried"), std::string::npos);
}

TEST(ClimbTest, WhatDoesNotFitIntoTheTimeIsNotTimed) {
  FactorJudge judge({{"a", 0.9}, {"b", 0.8}});
  const Move moves[] = {step("a"), step("b")};
  DecisionLog log;
  const ClimbBudget budget{.wall_seconds = 100, .look_seconds = 51};  // one look at two would take longer
  EXPECT_EQ(steps_of(Climb(judge, kAnything, budget).run(kStart, moves, log)), "");
  EXPECT_EQ(judge.timed(), 0u);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].subject, "2 other moves");
}

TEST(ClimbTest, AMoveThatFailsIsLoggedAndTheOthersGoOn) {
  FactorJudge judge({{"a", 0.9}});
  const Move broken{.kind = Move::Kind::model,
                    .name = "broken",
                    .apply = [](const Proposal&) -> std::optional<Proposal> { fail("no such thing"); }};
  const Move moves[] = {broken, step("a")};
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {}).run(kStart, moves, log)), "a");
  EXPECT_EQ(log.at(0).reason, "cannot be made: no such thing");
}

TEST(ClimbTest, TellsWhatItIsAtAndTheBestSoFar) {
  FactorJudge judge({{"a", 0.5}, {"b", 0.9}});
  const Move moves[] = {step("a"), step("b")};
  DecisionLog log;
  std::vector<std::string> told;
  Climb(judge, kAnything, {}, [&](const std::string& doing) { told.push_back(doing); }).run(kStart, moves, log);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front(), "making a");
  EXPECT_EQ(told.back(), "trying b on top; best so far 2.000 times as fast");
}

TEST(ClimbTest, WithoutTimeForAStepTheFastestOfTheRaceIsTaken) {
  FactorJudge judge({{"a", 0.9}, {"b", 0.8}, {"c", 0.999}});
  const Move moves[] = {step("c"), step("a"), step("b")};
  DecisionLog log;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {.evaluations = 3}).run(kStart, moves, log)), "b");
  EXPECT_EQ(judge.timed(), 3u);
  EXPECT_EQ(log.size(), 3u);
  DecisionLog none;
  EXPECT_EQ(steps_of(Climb(judge, kAnything, {.evaluations = 0}).run(kStart, moves, none)), "");
  EXPECT_EQ(none.size(), 3u);
}

}  // namespace
}  // namespace hone
