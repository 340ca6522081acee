// Against all choices of small random problems.

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "plan/sharding/dual_ascent.h"
#include "plan/sharding/reduction.h"
#include "plan/simulate/sharding_cost.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr std::int64_t kNever = 1'000'000'000'000'000'000;

std::int64_t random_cost(Rng& rng, double share_of_never) {
  return rng.uniform() < share_of_never ? kNever : rng.between(0, 100);
}

/// Few nodes, so that all choices can be tried, with edges side by side and pairs that must not be.
ShardingProblem random_sharding(Rng& rng) {
  ShardingProblem problem{.name = "random"};
  const auto count = static_cast<std::uint32_t>(rng.between(2, 7));
  std::int64_t least_usage = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    ShardingProblem::Node node{.begin = rng.between(0, 6)};
    node.end = node.begin + rng.between(0, 4);
    std::int64_t least = 20;
    for (std::int64_t k = rng.between(1, 4); k > 0; --k) {
      node.strategies.push_back({.cost = random_cost(rng, 0.05), .usage = rng.between(0, 20)});
      least = std::min(least, node.strategies.back().usage);
    }
    least_usage += least;
    problem.nodes.push_back(std::move(node));
  }
  for (std::int64_t edges = rng.between(0, 2 * count); edges > 0; --edges) {
    ShardingProblem::Edge edge{.first = static_cast<std::uint32_t>(rng.below(count)),
                               .second = static_cast<std::uint32_t>(rng.below(count))};
    const std::size_t columns = problem.nodes[edge.second].strategies.size();
    const bool ties = rng.uniform() < 0.3;  // strategies that determine one another
    for (std::size_t a = 0; a < problem.nodes[edge.first].strategies.size(); ++a)
      for (std::size_t b = 0; b < columns; ++b)
        edge.costs.push_back(ties ? (a == b ? rng.between(0, 9) : kNever) : random_cost(rng, 0.2));
    problem.edges.push_back(std::move(edge));
  }
  problem.usage_limit = least_usage + rng.between(0, 20);
  return problem;
}

/// The least cost of all choices within the limit.
std::optional<double> least_cost(const ShardingProblem& problem) {
  std::optional<double> least;
  std::vector<std::uint32_t> choice(problem.nodes.size(), 0);
  while (true) {
    const ShardingTotals sums = totals(problem, choice);
    if (sums.peak_usage <= static_cast<double>(problem.usage_limit) && (!least || sums.cost < *least))
      least = sums.cost;
    std::size_t i = 0;
    while (i < choice.size() && ++choice[i] == problem.nodes[i].strategies.size()) choice[i++] = 0;
    if (i == choice.size()) return least;
  }
}

Solution solve(const Problem& problem, std::string_view optimizer, std::size_t threads) {
  return solve(problem, "shard", optimizer, {.budget = {.evaluations = 60}, .seed = 1, .threads = threads});
}

Problem problem_with(ShardingProblem sharding) {
  return {.workload = {}, .machine = {}, .sharding = std::make_shared<const ShardingProblem>(std::move(sharding))};
}

TEST(Shard, ReachesTheBestOfAllChoices) {
  Rng rng(1);
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(i);
    const Problem problem = problem_with(random_sharding(rng));
    const std::optional<double> least = least_cost(*problem.sharding);
    if (!least || *least >= Reduction::kNever) continue;
    const Solution solution = solve(problem, "shard:work=0.01", 1);
    EXPECT_TRUE(solution.cost.feasible());
    EXPECT_EQ(solution.cost.seconds, *least);
    EXPECT_LE(solution.bound, *least);
  }
}

/// A ring of nodes that had better agree. The middle strategy is the best that all can take together, but no price of
/// usage makes it the cheapest of the three, and it costs much while only some nodes of the ring have it.
ShardingProblem ring(std::uint32_t count) {
  constexpr std::int64_t kDisagree = 1'000'000;
  ShardingProblem problem{.name = "ring", .usage_limit = count};
  for (std::uint32_t i = 0; i < count; ++i) {
    problem.nodes.push_back({.begin = 0, .end = 1, .strategies = {{101, 0}, {100, 1}, {0, 2}}});
    problem.edges.push_back({.first = i, .second = (i + 1) % count, .costs = std::vector<std::int64_t>(9, kDisagree)});
    for (const std::size_t agreed : {0, 4, 8}) problem.edges.back().costs[agreed] = 0;
  }
  return problem;
}

TEST(Shard, ChangesVariablesAroundACycleTogether) {
  const Solution solution = solve(problem_with(ring(24)), "shard:work=0.1", 1);
  EXPECT_TRUE(solution.cost.feasible());
  EXPECT_EQ(solution.cost.seconds, 2400);
}

TEST(Shard, AnswersWhereNothingIsAllowed) {
  Rng rng(2);
  for (int i = 0; i < 50; ++i) {
    ShardingProblem sharding = random_sharding(rng);
    for (ShardingProblem::Strategy& strategy : sharding.nodes.front().strategies) strategy.cost = kNever;
    const Problem problem = problem_with(std::move(sharding));
    const std::optional<double> least = least_cost(*problem.sharding);
    const Solution solution = solve(problem, "shard:work=0.01", 1);
    EXPECT_EQ(check(*problem.sharding, solution.plan.strategy_of), std::nullopt);
    if (least) {
      EXPECT_LE(solution.bound, *least);
    }
  }
}

TEST(Shard, FindsTheSameOnAnyNumberOfThreads) {
  Rng rng(3);
  for (int i = 0; i < 10; ++i) {
    const Problem problem = problem_with(random_sharding(rng));
    EXPECT_EQ(solve(problem, "shard:work=0.01", 1).plan, solve(problem, "shard:work=0.01", 3).plan);
  }
}

TEST(Shard, OtherOptimisersWorkOnItsProblems) {
  Rng rng(4);
  const Problem problem = problem_with(random_sharding(rng));
  for (const std::string_view name : {"random", "brkga", "local"}) {
    const Solution solution = solve(problem, name, 1);
    EXPECT_EQ(check(problem, solution.plan), std::nullopt) << name;
    EXPECT_EQ(totals(*problem.sharding, solution.plan.strategy_of).cost, solution.cost.seconds) << name;
  }
}

TEST(Shard, ReductionKeepsABestChoice) {
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const ShardingProblem sharding = random_sharding(rng);
    const std::optional<double> least = least_cost(sharding);
    if (!least || *least >= Reduction::kNever) continue;
    const Reduction reduction(sharding);
    std::vector<std::uint32_t> labels(reduction.variables().size(), 0);
    double reduced_least = Reduction::kNever;
    while (true) {
      const ShardingTotals sums = totals(sharding, reduction.strategies(labels));
      if (sums.peak_usage <= static_cast<double>(sharding.usage_limit))
        reduced_least = std::min(reduced_least, sums.cost);
      std::size_t at = 0;
      while (at < labels.size() && ++labels[at] == reduction.variables()[at].labels()) labels[at++] = 0;
      if (at == labels.size()) break;
    }
    EXPECT_EQ(reduced_least, *least);
  }
}

TEST(Shard, NodesThatDetermineOneAnotherBecomeOne) {
  ShardingProblem chain{.name = "chain", .usage_limit = 100};
  for (std::uint32_t i = 0; i < 50; ++i) {
    chain.nodes.push_back({.begin = i, .end = i + 2, .strategies = {{.cost = 3, .usage = 1}, {.cost = 1, .usage = 2}}});
    if (i > 0) chain.edges.push_back({.first = i - 1, .second = i, .costs = {kNever, 0, 5, kNever}});
  }
  const Reduction reduction(chain);
  EXPECT_EQ(reduction.variables().size(), 1U);
  EXPECT_EQ(reduction.edges().size(), 0U);
}

TEST(Shard, PricesGiveABoundThatHolds) {
  Rng rng(6);
  for (int i = 0; i < 100; ++i) {
    const ShardingProblem sharding = random_sharding(rng);
    const std::optional<double> least = least_cost(sharding);
    if (!least || *least >= Reduction::kNever) continue;
    const Reduction reduction(sharding);
    const LabelModel model(reduction);
    DualAscent dual(model);
    std::vector<double> prices(model.times());
    for (double& price : prices) price = rng.uniform(0, 5);
    dual.set_prices(prices);
    for (int sweep = 0; sweep < 5; ++sweep) {
      dual.sweep();
      EXPECT_LE(dual.bound(), *least + 1e-6);
      EXPECT_NEAR(dual.bound(), dual.proven_bound(), 1e-6 * model.forbidden());
    }
  }
}

TEST(ShardingProblem, CheckNamesWhatIsWrong) {
  ShardingProblem problem{.name = "two"};
  problem.nodes = {{.begin = 0, .end = 1, .strategies = {{1, 1}, {2, 2}}},
                   {.begin = 0, .end = 1, .strategies = {{5, 5}}}};
  EXPECT_EQ(check(problem, std::vector<std::uint32_t>{1, 0}), std::nullopt);
  EXPECT_EQ(check(problem, std::vector<std::uint32_t>{1, 1}), "node 1 has strategy 1, but only 1 to choose from");
  EXPECT_EQ(check(problem, std::vector<std::uint32_t>{1}), "there are 1 strategies for 2 nodes");
}

TEST(ShardingProblem, TotalsAreThoseOfTheContestsExample) {
  ShardingProblem problem{.name = "example", .usage_limit = 50};
  problem.nodes = {{.begin = 30, .end = 70, .strategies = {{15, 10}}},
                   {.begin = 40, .end = 70, .strategies = {{55, 25}, {65, 25}}},
                   {.begin = 50, .end = 120, .strategies = {{25, 15}, {45, 20}, {35, 15}}},
                   {.begin = 110, .end = 140, .strategies = {{85, 10}, {75, 10}}},
                   {.begin = 110, .end = 150, .strategies = {{95, 15}}}};
  problem.edges = {{.first = 0, .second = 1, .costs = {30, 40}},
                   {.first = 0, .second = 2, .costs = {50, 10, 40}},
                   {.first = 1, .second = 3, .costs = {90, 10, 20, 80}},
                   {.first = 2, .second = 4, .costs = {60, 20, 30}},
                   {.first = 3, .second = 4, .costs = {70, 60}}};
  const std::vector<std::uint32_t> choice{0, 0, 2, 1, 0};
  EXPECT_EQ(totals(problem, choice),
            (ShardingTotals{.cost = 15 + 55 + 35 + 75 + 95 + 30 + 40 + 10 + 30 + 60, .peak_usage = 50}));
  Plan plan;
  plan.strategy_of = choice;
  const Cost cost = ShardingCost(std::make_shared<const ShardingProblem>(problem)).evaluate(plan);
  EXPECT_EQ(cost.seconds, 445);
  EXPECT_TRUE(cost.feasible());
  plan.strategy_of[2] = 1;
  EXPECT_EQ(ShardingCost(std::make_shared<const ShardingProblem>(problem)).evaluate(plan).overflow_bytes, 5);
}

}  // namespace
}  // namespace hone
