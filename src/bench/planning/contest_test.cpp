#include "bench/planning/contest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/planning/planning_file.h"
#include "plan/machine/machine_file.h"
#include "plan/session/plan_request.h"

namespace hone {
namespace {

TEST(ContestTest, ComparesOnTheMachinesAndBudgetsThatCount) {
  const PlanningContest contest = planning_contest();
  EXPECT_EQ(contest.budgets, (std::vector<std::uint64_t>{100, 1000, 5000}));
  EXPECT_EQ(contest.seeds, 3U);
  EXPECT_EQ(contest.settings.size(), 5U);
  for (const PlanningSetting& setting : contest.settings) {
    EXPECT_NO_THROW(load_machine(setting.machine));
    const auto& contenders = contest.contenders(setting.objective);
    EXPECT_GE(std::ranges::count_if(contenders, &PlanningContender::is_rival), 6) << name_of(setting.objective);
    EXPECT_TRUE(std::ranges::count(contenders, contest.standard, &PlanningContender::optimizer)) << contest.standard;
  }
}

TEST(ContestTest, TheDefaultIsThatOfTheTool) {
  const PlanningContest contest = planning_contest();
  const std::string usual = usual_optimizers();
  for (const PlanningField& field : contest.fields)
    for (const PlanningContender& contender : field.contenders)
      if (contender.role == ContenderRole::usual) {
        EXPECT_NE(usual.find(contender.optimizer), std::string::npos) << contender.optimizer;
      }
}

TEST(ContestTest, RefusesWhatItDoesNotKnow) {
  const nlohmann::json file = planning_file("contest");
  nlohmann::json wrong = file;
  wrong["budget"] = 5;
  EXPECT_THROW(parse_contest(wrong, "file"), InputError);
  wrong = file;
  wrong["contenders"]["memory"][0]["optimizer"] = "no such thing";
  EXPECT_THROW(parse_contest(wrong, "file"), InputError);
  wrong = file;
  wrong["contenders"]["memory"][0]["role"] = "none";
  EXPECT_THROW(parse_contest(wrong, "file"), InputError);
  wrong = file;
  wrong["budgets"] = {1000, 100};
  EXPECT_THROW(parse_contest(wrong, "file"), InputError);
}

}  // namespace
}  // namespace hone
