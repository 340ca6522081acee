#include "deliver/kernel_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

/// Knows what every step is worth; of steps that it does not know it says nothing.
class TableForecast final : public Forecast {
 public:
  explicit TableForecast(std::map<std::string, double> factors) : factors_(std::move(factors)) {}
  void look_at(std::span<const Proposal>, double) override {}
  std::optional<double> seconds(const Proposal& proposal) const override {
    double seconds = 1;
    for (const Step& step : proposal.steps) {
      if (!factors_.contains(step.name)) return std::nullopt;
      seconds *= factors_.at(step.name);
    }
    return seconds;
  }
  std::string lost_fusions(const Proposal&, const Proposal&) const override { return "own.Fused 1 instead of 2"; }

 private:
  std::map<std::string, double> factors_;
};

Move named_move(const std::string& name) {
  return {.kind = Move::Kind::model, .name = name, .apply = [name](const Proposal& from) -> std::optional<Proposal> {
            Proposal to = from;
            to.model = std::make_shared<const Model>();
            to.steps.push_back({.part = Part::model, .name = name});
            return to;
          }};
}

const Proposal kForecastStart{.model = std::make_shared<const Model>(), .options = {}, .steps = {}};

std::vector<std::string> forecast_order(TableForecast forecast, const std::vector<std::string>& names,
                                        DecisionLog& log) {
  std::vector<Move> moves;
  for (const std::string& name : names) moves.push_back(named_move(name));
  std::vector<std::string> order;
  for (const Move& move : ordered_by_forecast(kForecastStart, moves, forecast, log, 100).moves)
    order.push_back(move.name);
  return order;
}

TEST(KernelForecastTest, PutsTheMostPromisingFirstAndTakesThemTogether) {
  DecisionLog log;
  EXPECT_EQ(forecast_order(TableForecast({{"a", 0.95}, {"b", 1.01}, {"c", 0.8}}), {"a", "b", "c"}, log),
            (std::vector<std::string>{"c + a", "c", "a", "b"}));
  EXPECT_TRUE(log.empty());
}

/// Says that `b` is worth something on top of `a` alone.
class DependentForecast final : public Forecast {
 public:
  void look_at(std::span<const Proposal>, double) override {}
  std::optional<double> seconds(const Proposal& proposal) const override {
    const auto has = [&](const char* name) { return std::ranges::count(proposal.steps, name, &Step::name) > 0; };
    return has("a") ? (has("b") ? 0.5 : 0.8) : 1.0;
  }
  std::string lost_fusions(const Proposal&, const Proposal&) const override { return {}; }
};

TEST(KernelForecastTest, TakesWhatIsWorthSomethingOnTopOfOthersAlone) {
  DependentForecast forecast;
  DecisionLog log;
  const OrderedMoves found =
      ordered_by_forecast(kForecastStart, {named_move("b"), named_move("a")}, forecast, log, 100);
  ASSERT_TRUE(found.together);
  EXPECT_EQ(found.together->name, "a + b");
}

TEST(KernelForecastTest, LeavesOutWhatCostsTimeAndSaysSo) {
  DecisionLog log;
  EXPECT_EQ(forecast_order(TableForecast({{"a", 1.5}, {"b", 0.9}}), {"a", "b"}, log), std::vector<std::string>{"b"});
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].subject, "a");
  EXPECT_EQ(log[0].verdict, Verdict::rejected);
  EXPECT_EQ(log[0].figures, "forecast 1.500 of the time; own.Fused 1 instead of 2");
}

TEST(KernelForecastTest, WhatNothingIsKnownOfStays) {
  DecisionLog log;
  EXPECT_EQ(forecast_order(TableForecast({{"b", 0.9}}), {"a", "b"}, log), (std::vector<std::string>{"b", "a"}));
}

TEST(KernelForecastTest, MovesTakenTogetherAreMadeOnOtherModelsToo) {
  TableForecast forecast({{"a", 0.9}, {"b", 0.9}});
  DecisionLog log;
  const std::vector<Move> moves =
      ordered_by_forecast(kForecastStart, {named_move("a"), named_move("b")}, forecast, log, 100).moves;
  ASSERT_EQ(moves[0].name, "a + b");
  const std::optional<Proposal> known = moves[0].apply(kForecastStart), again = moves[0].apply(kForecastStart);
  ASSERT_TRUE(known && again);
  EXPECT_EQ(known->model, again->model);  // made once
  EXPECT_EQ(known->steps.size(), 2u);
  const std::optional<Proposal> other = moves[0].apply(*named_move("c").apply(kForecastStart));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->steps.size(), 3u);
}

TEST(KernelForecastTest, TellsByKernelsWhichModelTakesLonger) {
  const auto proposal = [](std::string_view text) {
    return Proposal{.model = std::make_shared<const Model>(typed_model(text)), .options = {}, .steps = {}};
  };
  const Proposal shorter = proposal("g (float[256,256] x) => (y) { y = MatMul(x, x) }");
  const Proposal longer =
      proposal("g (float[256,256] x) => (y) { a = MatMul(x, x) b = MatMul(a, x) y = MatMul(b, x) }");
  const RuntimeKind* kind = RuntimeKind::stand_in();
  ASSERT_NE(kind, nullptr);
  ProfileTable recorded;
  KernelForecast forecast({.profile = {.runtime = kind->make("")},
                           .made_static = [](const Model& model) { return model; },
                           .file_of = [](const auto&) { return std::filesystem::path(); },
                           .record = [&](const ProfileTable& timings) { recorded = timings; }});
  const Proposal both[] = {shorter, longer};
  forecast.look_at(both, 60);
  ASSERT_TRUE(forecast.seconds(shorter) && forecast.seconds(longer));
  EXPECT_LT(*forecast.seconds(shorter), *forecast.seconds(longer));
  EXPECT_FALSE(recorded.records().empty());
}

}  // namespace
}  // namespace hone
