#include <gtest/gtest.h>

#include "base/integer_program.h"
#include "plan/methods/small_placement_test.h"

namespace hone {
namespace {

TEST(IntegerProgramTest, FindsTheBestIntegersAndProvesIt) {
  // Most of 5 a + 4 b + 3 c with 2 a + 3 b + c <= 5, 4 a + b + 2 c <= 11 and none above 2: a = 2, b = 0, c = 1.
  IntegerProgram program;
  for (const double worth : {5.0, 4.0, 3.0})
    program.add_column({.high = 2, .price = -worth, .kind = IntegerProgram::Kind::integer});
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  program.add_row({{0, 2}, {1, 3}, {2, 1}}, -kEndless, 5);
  program.add_row({{0, 4}, {1, 1}, {2, 2}}, -kEndless, 11);
  const IntegerProgram::Outcome outcome = program.solve({}, 1000);
  ASSERT_EQ(outcome.values.size(), 3U);
  EXPECT_NEAR(outcome.values[0], 2, 1e-6);
  EXPECT_NEAR(outcome.values[1], 0, 1e-6);
  EXPECT_NEAR(outcome.values[2], 1, 1e-6);
  EXPECT_NEAR(outcome.bound, -13, 1e-6);
}

TEST(IntegerProgramTest, HasNoValuesWhereNoneAreAllowed) {
  IntegerProgram program;
  program.add_column({.high = 1, .kind = IntegerProgram::Kind::integer});
  program.add_row({{0, 2}}, 1, 1);
  EXPECT_TRUE(program.solve({}, 1000).values.empty());
}

TEST(IlpTest, FindsTheBestThroughputOfSmallGraphsAndProvesIt) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const Problem problem = draw_problem(rng, Objective::throughput);
    const Score best = best_by_trying_all(problem);
    const Solution found = solve_with(problem, "ilp:nodes=5000", 100);
    EXPECT_LE(found.bound, best.value) << "seed " << seed;
    EXPECT_EQ(found.score.excess, best.excess) << "seed " << seed;
    EXPECT_NEAR(found.score.value, best.value, 1e-6) << "seed " << seed;
    EXPECT_GT(found.bound, 0.999 * best.value) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hone
