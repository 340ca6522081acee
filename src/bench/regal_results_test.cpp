#include "bench/regal_results.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::vector<RegalSetting> settings_of(const std::vector<Objective>& objectives) {
  std::vector<RegalSetting> settings;
  for (const Objective& objective : objectives) {
    RegalSetting setting{.name = "graph"};
    setting.problem.objective = objective;
    settings.push_back(std::move(setting));
  }
  return settings;
}

/// Every contender comes to 100 in 1 second, but for `guided` on memory.
RegalResults results_of(const std::vector<RegalSetting>& settings, const std::vector<RegalOutcome>& guided) {
  RegalResults results(settings.size(), 1);
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t contender = 0; contender < regal_contenders().size(); ++contender)
      if (regal_contenders()[contender].takes_part(settings[i])) results.set(i, contender, 0, {100, 1});
  for (std::size_t i = 0; i < guided.size(); ++i) results.set(i, regal_contender("guided"), 0, guided[i]);
  return results;
}

TEST(RegalResults, FiguresAreMeansOverTheGraphsOfTheirObjective) {
  const auto settings = settings_of({Objective::peak_bytes, Objective::peak_bytes, Objective::seconds});
  RegalResults results = results_of(settings, {{90, 1.2}, {100, 1}});
  results.reach(0, 80);
  const BenchReport report = regal_report(settings, results);
  EXPECT_NEAR(report.summary["improvement_percent"]["mean"].get<double>(), 5, 1e-9);
  EXPECT_NEAR(report.summary["headroom_captured"]["mean"].get<double>(), 0.5, 1e-9);
  EXPECT_NEAR(report.summary["win_percent"]["mean"].get<double>(), 50, 1e-9);
  EXPECT_NEAR(report.summary["overhead_percent"]["mean"].get<double>(), 10, 1e-9);
  EXPECT_NEAR(report.summary["runtime_improvement_percent"]["mean"].get<double>(), 0, 1e-9);
  EXPECT_TRUE(report.summary["xla_improvement_percent"].is_null());
}

TEST(RegalResults, AblationsAreRunOnlyWhereThePolicyIsJudged) {
  const auto settings = settings_of({Objective::peak_bytes, Objective::seconds});
  const BenchReport report = regal_report(settings, results_of(settings, {}));
  std::size_t memory = 0, seconds = 0;
  for (const auto& row : report.rows) ++(row["objective"] == "memory" ? memory : seconds);
  EXPECT_EQ(memory, regal_contenders().size());
  EXPECT_LT(seconds, memory);
}

TEST(RegalResults, EverySearchIsMeasuredByTheGeneticAlgorithmWithItsOwnSeed) {
  const auto settings = settings_of({Objective::peak_bytes});
  RegalResults results(1, 2);
  const std::size_t brkga = regal_contender("brkga"), guided = regal_contender("guided");
  results.set(0, brkga, 0, {100, 1});
  results.set(0, brkga, 1, {50, 1});
  results.set(0, guided, 1, {40, 1});
  EXPECT_FALSE(results.has(0, guided, 0));
  EXPECT_NEAR(results.improvement(0, guided, 1), 20, 1e-9);
  EXPECT_EQ(results.best_known(0), 40);
}

}  // namespace
}  // namespace hone
