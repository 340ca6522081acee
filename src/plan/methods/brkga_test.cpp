#include "plan/methods/brkga.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/brkga_oracle.h"
#include "bench/random_problem.h"
#include "plan/simulate/plain_cost.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

/// Costs the distance of all priorities from what they should be: a task whose best answer is known.
class DistanceFrom final : public Evaluator {
 public:
  explicit DistanceFrom(float target) : target_(target) {}
  Cost evaluate(const Plan& plan) override {
    Cost cost;
    for (const float priority : plan.priority) cost.seconds += std::abs(priority - target_);
    return cost;
  }
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<DistanceFrom>(*this); }

 private:
  float target_;
};

Problem independent_operations(std::size_t count) {
  WorkloadBuilder builder("operations");
  for (std::size_t i = 0; i < count; ++i) builder.add_operation({.name = fmt::format("work{}", i)}, {}, {});
  Machine machine{
      .name = "one",
      .kinds = {{.name = "unit", .memory_bytes = 1, .bytes_per_second = 1, .flops = {{ElementType::float32, 1}}}},
      .devices = {{.name = "unit:0"}},
      .routes = {LinkId()}};
  return {.workload = std::move(builder).build(), .machine = std::move(machine), .objective = Objective::seconds};
}

Solution evolve(Optimizer& optimizer, std::size_t operations, float target, std::uint64_t evaluations) {
  const Problem problem = independent_operations(operations);
  const std::unique_ptr<Task> task = make_task(problem, "schedule");
  Plan start = undecided_plan(problem);
  for (std::size_t i = 0; i < operations; ++i) start.priority.push_back(100.0F + static_cast<float>(i));  // far off
  Search search(problem, *task, DistanceFrom(target), start, {.budget = {.evaluations = evaluations}, .seed = 1});
  optimizer.run(search);
  return search.finish();
}

TEST(Brkga, ComesNearAPlantedAnswer) {
  Brkga brkga(BrkgaParameters{});
  const Solution solution = evolve(brkga, 20, 0.9F, 20'000);
  EXPECT_LT(solution.score.value, 20 * 0.05);
}

TEST(Brkga, BeatsRandomSearchAtEqualBudget) {
  Brkga brkga(BrkgaParameters{});
  EXPECT_LT(evolve(brkga, 50, 0.2F, 3'000).score, evolve(*make_optimizer("random"), 50, 0.2F, 3'000).score);
}

TEST(Brkga, TheDistributionOfGenesGuidesIt) {
  GeneGuidance guidance;
  guidance.distribution.assign(50, {.alpha = 45, .beta = 5});
  Brkga guided(BrkgaParameters{}, guidance);
  Brkga plain(BrkgaParameters{});
  EXPECT_LT(evolve(guided, 50, 0.9F, 500).score, evolve(plain, 50, 0.9F, 500).score);
}

TEST(Brkga, GoesOnAfterARestart) {
  Brkga brkga(BrkgaParameters{.population = 10, .restart = 1});
  EXPECT_EQ(evolve(brkga, 5, 0.5F, 2'000).evaluations, 2'000U);
}

TEST(Brkga, AsksForTheSamePlansAsItsOracle) {
  const BrkgaParameters parameters{.population = 20, .parents = 2, .elite_parents = 1};
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Rng rng(seed);
    Workload workload = random_workload(rng, 12);
    const Problem problem{.workload = std::move(workload), .machine = random_machine(rng)};
    const std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers");
    PlainCost evaluator(problem);
    const SlowSolution slow = brkga_slowly(problem, *task, evaluator, parameters, seed, 15);
    Brkga brkga(parameters);
    const Solution fast = solve(problem, "place+schedule+transfers", brkga,
                                {.budget = {.evaluations = slow.evaluations + 1}, .seed = seed, .threads = 2});
    EXPECT_EQ(fast.score, slow.score);
    EXPECT_EQ(fast.evaluations, slow.evaluations + 1);  // the search evaluates the start once more
  }
}

TEST(Brkga, WorksWithSeveralParentsAndIslands) {
  for (const BrkgaParameters& parameters :
       {BrkgaParameters{.parents = 2, .elite_parents = 1}, BrkgaParameters{.islands = 4, .migrate = 2}}) {
    Brkga brkga(parameters);
    const Solution solution = evolve(brkga, 20, 0.9F, 20'000);
    EXPECT_LT(solution.score.value, 20 * 0.08);
    EXPECT_EQ(solution.evaluations, 20'000U);
  }
  EXPECT_THROW(make_optimizer("brkga:parents=2,elite_parents=2"), InputError);
}

TEST(Brkga, ReadsItsParameters) {
  EXPECT_EQ(make_optimizer("brkga:population=40,elite=0.25")->json()["brkga"]["population"], 40);
  EXPECT_THROW(make_optimizer("brkga:population=few"), InputError);
  EXPECT_THROW(make_optimizer("brkga:elite=0.9"), InputError);
  EXPECT_THROW(make_optimizer("brkga:elite=nan"), InputError);
  EXPECT_THROW(make_optimizer("brkga:tail=1"), InputError);
  EXPECT_THROW(make_optimizer("brkga:population"), InputError);
}

}  // namespace
}  // namespace hone
