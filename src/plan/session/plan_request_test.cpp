#include "plan/session/plan_request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/machine/machine_file.h"

namespace hone {
namespace {

PlanRequest completed_for(const PlanRequest& request, const char* objective) {
  return completed(request, {.machine = load_machine("h200-1"), .objective = parse_objective(objective)}, "graph");
}

TEST(PlanRequestTest, WithoutALimitThereIsAUsualOne) {
  EXPECT_EQ(completed_for({}, "fit").evaluations, 5000u);
  EXPECT_EQ(completed_for({}, "throughput").evaluations, 300'000u);
  EXPECT_TRUE(std::isinf(completed_for({}, "fit").seconds));
}

TEST(PlanRequestTest, ALimitThatIsGivenIsTheOnlyOne) {
  EXPECT_EQ(completed_for({.seconds = 8}, "fit").evaluations, 0u);
  EXPECT_EQ(completed_for({.seconds = 8}, "throughput").evaluations, 0u);
  EXPECT_TRUE(std::isinf(completed_for({.evaluations = 8}, "fit").seconds));
}

TEST(PlanRequestTest, MethodsGoOnUntilALimitThatIsGiven) {
  for (const char* objective : {"fit", "memory", "throughput", "latency"})
    for (const PlanRequest& request : {PlanRequest{.evaluations = 8}, PlanRequest{.seconds = 8}})
      EXPECT_TRUE(completed_for(request, objective).optimizer.ends_with("brkga")) << objective;
  EXPECT_EQ(completed_for({.optimizer = "partition", .seconds = 8}, "throughput").optimizer, "partition");
  EXPECT_EQ(completed_for({}, "throughput").optimizer, "partition");
}

}  // namespace
}  // namespace hone
