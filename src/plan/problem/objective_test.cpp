#include "plan/problem/objective.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hone {
namespace {

Cost cost_of(double seconds, double bytes, double overflow_bytes = 0) {
  Cost cost{.seconds = seconds, .peak_bytes = bytes, .overflow_bytes = overflow_bytes};
  if (overflow_bytes > 0) cost.obstacle = Obstacle::memory;
  return cost;
}

TEST(ObjectiveTest, IsNamedAsItIsWritten) {
  for (const char* text : {"fit", "seconds", "memory", "throughput", "latency", "fit,memory", "throughput,memory,fit",
                           "seconds*0.7+memory*0.3", "latency*2,memory"})
    EXPECT_EQ(name_of(Objective::parse(text)), text);
  EXPECT_EQ(name_of(Objective::parse("seconds+memory")), "seconds*1+memory*1");
  EXPECT_EQ(Objective::parse("memory"), Objective::peak_bytes);
}

TEST(ObjectiveTest, RefusesWhatIsNone) {
  for (const char* text : {"", "speed", "fit,", "+fit", "fit*", "fit*x", "fit*0", "fit*-1", "fit*nan", "fit*1e999",
                           "fit,fit,fit,fit", "fit+fit+fit+fit+fit+fit+fit"})
    EXPECT_THROW(Objective::parse(text), InputError) << text;
}

TEST(ObjectiveTest, ComparesTermsFromLeftToRight) {
  const Objective objective = Objective::parse("seconds,memory");
  EXPECT_LT(score(objective, cost_of(1, 90)), score(objective, cost_of(2, 10)));
  EXPECT_LT(score(objective, cost_of(1, 10)), score(objective, cost_of(1, 90)));
  EXPECT_EQ(score(objective, cost_of(1, 10, 5)).excess, 0) << "memory has no end";
}

TEST(ObjectiveTest, PutsWhatFitsFirstWhereMemoryIsLimited) {
  for (const char* text : {"fit", "throughput", "latency,memory", "memory,fit"}) {
    const Objective objective = Objective::parse(text);
    EXPECT_LT(score(objective, cost_of(9, 90)), score(objective, cost_of(1, 10, 1))) << text;
  }
}

TEST(ObjectiveTest, WeighsRelativeToAReference) {
  const Objective objective = Objective::parse("seconds*0.75+memory*0.25").relative_to(cost_of(4, 200));
  EXPECT_DOUBLE_EQ(score(objective, cost_of(4, 200)).value, 1);
  EXPECT_DOUBLE_EQ(score(objective, cost_of(2, 400)).value, 0.75 * 0.5 + 0.25 * 2);
  EXPECT_DOUBLE_EQ(score(Objective::seconds.relative_to(cost_of(4, 200)), cost_of(2, 1)).value, 2) << "no sum";
}

TEST(ObjectiveTest, APlanThatNeverEndsIsWorseThanAnyOther) {
  Cost never = cost_of(0, 0);
  never.obstacle = Obstacle::cycle;
  EXPECT_LT(score(Objective::seconds, cost_of(1e9, 0)), score(Objective::seconds, never));
}

TEST(Objective, TimeIsAnotherWordForSeconds) { EXPECT_EQ(parse_objective("time"), Objective::seconds); }

}  // namespace
}  // namespace hone
