#include "rewrite/search/environment.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

class EnvironmentTest : public testing::Test {
 protected:
  /// Draws actions until the episode ends.
  static double wander(RewriteEnvironment& environment, std::uint64_t seed) {
    Rng rng(seed);
    double sum = 0;
    environment.reset();
    while (!environment.ended()) sum += environment.step(rng.below(environment.stop() + 1)).reward;
    return sum;
  }

  const Model model_ = typed_model(R"(g (float[1,4,8,8] x) => (y, z)
    <float[4,4,1,1] v = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}, float[4,4,1,1] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16},
     float[4] s = {1,2,3,4}, float[4] t = {0,1,0,1}, float[4] m = {1,1,2,1}, float[4] k = {4,1,9,1}> {
      a = Conv(x, v)
      b = Conv(x, w)
      c = BatchNormalization(b, s, t, m, k)
      d = Relu(c)
      e = Conv(d, v)
      f = Add(a, e)
      y = Relu(f)
      g1 = Transpose<perm = [0, 2, 3, 1]>(d)
      g2 = Relu(g1)
      z = Transpose<perm = [0, 3, 1, 2]>(g2) })");
  const RooflinePricing nodes_{load_machine("cpu-gpu"), model_.opsets};
  const RewriteSpace space_{model_, Matcher(select_rules("all"), RuleSetting::of(model_)), nodes_};
  const SummedPricing pricing_;
};

TEST_F(EnvironmentTest, RewardsAddUpToWhatTheGraphsDifferBy) {
  RewriteEnvironment environment(space_, pricing_, {.horizon = 12});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const double sum = wander(environment, seed);
    EXPECT_NEAR(sum, 100 * (environment.start_seconds() - environment.seconds()) / environment.start_seconds(), 1e-9);
    EXPECT_DOUBLE_EQ(environment.seconds(), pricing_.seconds(*environment.state()));
  }
}

TEST_F(EnvironmentTest, ReplayLeadsToTheSameGraph) {
  RewriteEnvironment environment(space_, pricing_, {.horizon = 12}), again(space_, pricing_, {.horizon = 12});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const double sum = wander(environment, seed);
    const std::vector<double> rewards = again.replay(environment.actions());
    EXPECT_EQ(again.state()->hash, environment.state()->hash);
    EXPECT_EQ(again.actions(), environment.actions());
    EXPECT_NEAR(std::accumulate(rewards.begin(), rewards.end(), 0.0), sum, 1e-9);
  }
}

TEST_F(EnvironmentTest, ReplayInAnotherSpaceOfTheSameModelDoesTheSame) {
  RewriteEnvironment environment(space_, pricing_, {.horizon = 12});
  wander(environment, 3);
  const RewriteSpace other_space(model_, Matcher(select_rules("all"), RuleSetting::of(model_)), nodes_);
  RewriteEnvironment other(other_space, pricing_, {.horizon = 12});
  other.replay(environment.actions());
  EXPECT_EQ(other.state()->hash, environment.state()->hash);
}

TEST_F(EnvironmentTest, EndsAtTheHorizonOnStopAndWhereNothingIsOnOffer) {
  RewriteEnvironment environment(space_, pricing_, {.horizon = 2});
  EXPECT_FALSE(environment.step(0).ends);
  EXPECT_TRUE(environment.step(0).ends);
  EXPECT_TRUE(environment.ended());
  environment.reset();
  const RewardedStep stopped = environment.step(environment.stop());
  EXPECT_TRUE(stopped.ends);
  EXPECT_EQ(stopped.reward, 0);
  EXPECT_EQ(environment.state()->hash, space_.start()->hash);

  const RewriteSpace without_rules(model_, Matcher({}, RuleSetting::of(model_)), nodes_);
  EXPECT_TRUE(RewriteEnvironment(without_rules, pricing_).ended());
}

TEST_F(EnvironmentTest, OffersNoGraphThatGrowsTooLarge) {
  RewriteEnvironment environment(space_, pricing_, {.horizon = 50, .growth = 1.2});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Rng rng(seed);
    environment.reset();
    while (!environment.ended() && environment.stop() > 0) {
      environment.step(rng.below(environment.stop()));
      EXPECT_LT(static_cast<double>(environment.state()->graph.node_count()),
                1.2 * static_cast<double>(space_.start()->graph.node_count()) + 3);  // weights to be folded on top
    }
  }
}

TEST_F(EnvironmentTest, RefusesAReplayOfSomethingElse) {
  RewriteEnvironment environment(space_, pricing_);
  const std::size_t beyond[] = {environment.stop() + 1};
  EXPECT_THROW(environment.replay(beyond), InputError);
  const std::size_t after_the_end[] = {environment.stop(), 0};
  EXPECT_THROW(environment.replay(after_the_end), InputError);
}

TEST_F(EnvironmentTest, ManySideBySideComeToWhatEachComesToAlone) {
  constexpr std::size_t kEnvironments = 16;
  std::vector<std::uint64_t> side_by_side(kEnvironments), alone(kEnvironments);
  ThreadPool pool(4);
  pool.for_each(kEnvironments, [&](std::size_t, std::size_t i) {
    RewriteEnvironment environment(space_, pricing_, {.horizon = 10});
    wander(environment, i);
    side_by_side[i] = environment.state()->hash;
  });
  for (std::size_t i = 0; i < kEnvironments; ++i) {
    RewriteEnvironment environment(space_, pricing_, {.horizon = 10});
    wander(environment, i);
    alone[i] = environment.state()->hash;
  }
  EXPECT_EQ(side_by_side, alone);
}

}  // namespace
}  // namespace hone
