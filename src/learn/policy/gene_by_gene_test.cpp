#include "learn/policy/gene_by_gene.h"

#include <gtest/gtest.h>

#include "learn/policy/drawn_problem_test.h"
#include "learn/policy/plan_sampler.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/check.h"
#include "plan/problem/lower.h"
#include "plan/simulate/objective_cost.h"
#include "zoo/registry.h"

namespace hone {
namespace {

/// The same weights for all operations.
LogitWeights weights_with(GeneFeature feature, float weight) {
  LogitWeights weights{.rows = std::vector<float>(kOptionFeatures)};
  weights.rows[static_cast<std::size_t>(feature)] = weight;
  return weights;
}

TEST(GeneByGene, MakesValidPlansOnAllKindsOfMachines) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem = drawn_problem(seed);
    const GraphView view(problem);
    Rng rng(seed);
    GeneByGene maker(view);
    const Constructed& made = maker.build(weights_with(GeneFeature::due, -1), first_incumbent(view), 1, rng);
    const Plan plan = plan_of(made, undecided_plan(problem));
    EXPECT_EQ(check(problem.workload, problem.machine, plan), std::nullopt) << seed;
    EXPECT_LT(ObjectiveCost(problem).evaluate(plan).seconds, 1e300) << seed;
  }
}

TEST(GeneByGene, DecidesOnceForEveryChoiceOfADeviceAndForEveryOperation) {
  const Problem problem = drawn_problem(3);
  const GraphView view(problem);
  Rng rng(1);
  Trace trace;
  GeneByGene(view).build(weights_with(GeneFeature::due, -1), first_incumbent(view), 1, rng, &trace);
  EXPECT_EQ(trace.decisions.size(), view.choices().count() + view.operations());
  EXPECT_EQ(trace.features.size(), trace.operations.size());
  for (const TraceStep& decision : trace.decisions) {
    EXPECT_LT(decision.chosen, decision.count);
    EXPECT_FALSE(decision.could_wait);
  }
}

TEST(GeneByGene, SeesTheSameWhateverElseIsDecided) {
  const Problem problem = drawn_problem(5);
  const GraphView view(problem);
  const Incumbent first = first_incumbent(view);
  Trace one, other;
  Rng rng(1), others(2);
  GeneByGene maker(view);
  maker.build(weights_with(GeneFeature::due, -1), first, 1, rng, &one);
  maker.build(weights_with(GeneFeature::device, 3), first, 1, others, &other);
  EXPECT_EQ(one.features, other.features);
  EXPECT_EQ(one.operations, other.operations);
}

TEST(GeneByGene, LeansOnTheOrderAndOnTheBestPlanKnown) {
  const Problem problem = drawn_problem(6);
  const GraphView view(problem);
  Incumbent incumbent = first_incumbent(view);
  Rng rng(1);
  GeneByGene maker(view);
  const std::vector<std::uint32_t> order = maker.build(weights_with(GeneFeature::due, -50), incumbent, 0, rng).order;
  EXPECT_TRUE(std::ranges::is_sorted(order, {}, [&](std::uint32_t operation) { return incumbent.due[operation]; }));
  const Constructed drawn = maker.build(weights_with(GeneFeature::due, -1), incumbent, 1, rng);
  take_plan(plan_of(drawn, undecided_plan(problem)), incumbent);
  LogitWeights weights = weights_with(GeneFeature::position, -50);
  weights.rows[static_cast<std::size_t>(GeneFeature::same_device)] = 50;
  const Constructed& again = maker.build(weights, incumbent, 0, rng);
  EXPECT_EQ(again.device_of, drawn.device_of);
  EXPECT_EQ(again.order, drawn.order);
}

/// A policy that was trained on two devices must not shun those between the first and the last of more.
TEST(GeneByGene, EveryDeviceIsUsedWhateverTheirNumber) {
  const Policy policy = Policy::load("guided-memory");
  for (const char* machine : {"regal-2", "p100-4", "h200-8"}) {
    Rng rng(3);
    const Problem problem{.workload = lower(build_zoo("squeezenet:training=true")), .machine = load_machine(machine)};
    const GraphView view(problem);
    const Incumbent first = first_incumbent(view);
    const LogitWeights weights =
        plan_weights(policy.network(kPlanNetwork), input_of(view, features_of(view, first.due)));
    std::vector<double> operations(view.devices());
    GeneByGene maker(view);
    constexpr int kPlans = 100;
    for (int i = 0; i < kPlans; ++i) {
      const double temperature = std::pow(8, rng.uniform());  // as searches draw plans
      for (const std::uint32_t device : maker.build(weights, first, temperature, rng).device_of) ++operations[device];
    }
    const std::size_t half = operations.size() / 2;
    for (std::size_t device = 0; device < operations.size(); ++device) {
      EXPECT_GT(operations[device], 0) << machine << ", device " << device;
      if (device % half == 0) continue;
      EXPECT_NEAR(operations[device] / operations[device - 1], 1, 0.5) << machine << ", device " << device;
    }
  }
}

}  // namespace
}  // namespace hone
