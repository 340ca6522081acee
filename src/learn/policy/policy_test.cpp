#include "learn/policy/policy.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "learn/policy/drawn_problem_test.h"
#include "learn/policy/plan_sampler.h"
#include "learn/policy/reference_order.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/check.h"
#include "plan/search/optimizer.h"
#include "plan/simulate/objective_cost.h"

namespace hone {
namespace {

Policy untrained() { return {stepwise_policy().draw_networks({}, 1), "untrained"}; }

/// A chain of operations in which numbers are given out from `first` on, forward or backward.
Problem chain(std::size_t operations, bool backward) {
  WorkloadBuilder builder("chain");
  std::vector<BufferId> buffers;
  for (std::size_t i = 0; i < operations; ++i)
    buffers.push_back(builder.add_buffer({.bytes = 10.0 * static_cast<double>(i + 1)}));
  for (std::size_t k = 0; k < operations; ++k) {
    const std::size_t i = backward ? operations - 1 - k : k;
    std::vector<BufferId> inputs;
    if (i > 0) inputs.push_back(buffers[i - 1]);
    builder.add_operation({.flops = 1e6 * static_cast<double>(i + 1)}, inputs, std::span(&buffers[i], 1));
  }
  return {
      .workload = std::move(builder).build(), .machine = load_machine("regal-2"), .objective = Objective::peak_bytes};
}

LogitWeights weights_of(const GraphView& view, const Features& features) {
  return plan_weights(untrained().network(kPlanNetwork), input_of(view, features));
}

LogitWeights weights_of(const Problem& problem) {
  const GraphView view(problem);
  return weights_of(view, features_of(view, reference_order(view).places));
}

TEST(Policy, SaysTheSameOfAOperationHoweverOperationsAreNumbered) {
  const Problem forward = chain(9, false), backward = chain(9, true);
  const LogitWeights one = weights_of(forward), other = weights_of(backward);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t k = 0; k < kOptionFeatures; ++k)
      EXPECT_NEAR(one.of(i)[k], other.of(8 - i)[k], 1e-5) << i << " " << k;
}

TEST(Policy, DrawsPlansThatAreValidOnAllKindsOfMachines) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem = drawn_problem(seed);
    const GraphView view(problem);
    Construction construction(view);
    const Incumbent first = first_incumbent(view);
    const LogitWeights weights = weights_of(view, features_of(view, first.due));
    Rng rng(seed);
    const Plan plan = plan_of(construction.build(weights, first, 1, rng), undecided_plan(problem));
    EXPECT_EQ(check(problem.workload, problem.machine, plan), std::nullopt) << seed;
    EXPECT_LT(ObjectiveCost(problem).evaluate(plan).seconds, 1e300) << seed;
  }
}

TEST(Policy, AtTemperatureZeroAlwaysDrawsTheSamePlan) {
  const Problem problem = chain(20, false);
  const GraphView view(problem);
  Construction construction(view);
  const Incumbent first = first_incumbent(view);
  const LogitWeights weights = weights_of(problem);
  Rng one(1), two(2);
  const Constructed made = construction.build(weights, first, 0, one);
  EXPECT_EQ(made.device_of, construction.build(weights, first, 0, two).device_of);
}

TEST(Policy, TracesHoldEveryDecision) {
  const Problem problem = drawn_problem(3);
  const GraphView view(problem);
  Construction construction(view);
  const Incumbent first = first_incumbent(view);
  Rng rng(1);
  Trace trace;
  construction.build(weights_of(problem), first, 1, rng, &trace);
  std::size_t started = 0;
  for (const TraceStep& decision : trace.decisions) {
    EXPECT_LE(decision.chosen, decision.count);
    EXPECT_TRUE(decision.could_wait || decision.chosen < decision.count);
    started += decision.chosen < decision.count ? 1 : 0;
  }
  EXPECT_EQ(started, view.operations());
}

TEST(Policy, RefusesFeaturesItWasNotTrainedOn) {
  Safetensors contents = stepwise_policy().draw_networks({}, 1);
  contents.metadata.erase("schema");
  EXPECT_THROW(Policy(contents, "test"), InputError);
  contents.metadata["schema"] = "hone-works-0";
  EXPECT_THROW(Policy(contents, "test"), InputError);
  contents.metadata["schema"] = std::string(kFeatureSchema);
  EXPECT_NO_THROW(Policy(contents, "test"));
  contents.arrays["round1.self"].shape = {1, 1};
  EXPECT_THROW(Policy(contents, "test"), InputError);
}

TEST(Policy, BuiltInOnesCanBeLoadedForEveryObjective) {
  for (const BuiltinPolicy& policy : builtin_policies()) EXPECT_NO_THROW(Policy::load(std::string(policy.name)));
  EXPECT_NO_THROW(Policy::load(policy_for(Objective::peak_bytes)));
  EXPECT_NO_THROW(Policy::load(policy_for(Objective::seconds)));
}

TEST(Policy, RegalTakesItsPolicyByName) {
  EXPECT_NO_THROW(make_optimizer("guided:policy=untrained,seeds=3"));
  EXPECT_NO_THROW(make_optimizer("guided:seeds=3,policy=untrained"));
  EXPECT_EQ(make_optimizer("guided:seeds=3,policy=untrained")->json()["guided"]["policy"], "untrained");
  EXPECT_THROW(make_optimizer("guided:policy=no-such-policy"), InputError);
}

TEST(Policy, GasIsRegalWithPoliciesThatReadTheGraphAsASequence) {
  for (const Objective& objective : {Objective(Objective::peak_bytes), Objective(Objective::seconds)}) {
    const Policy policy = Policy::load(policy_for(objective, "gas"));
    EXPECT_EQ(policy.card().at("encoder"), "sequence");
    EXPECT_EQ(&policy.kind(), &stepwise_policy());
  }
  EXPECT_NO_THROW(make_optimizer("gas:seeds=3"));
}

TEST(Policy, ThereIsOneForMemoryWithEitherHead) {
  const Policy genes = Policy::load(policy_for(Objective::peak_bytes));
  EXPECT_EQ(genes.kind().name(), "independent");
  EXPECT_EQ(genes.card().at("encoder"), "messages");
  EXPECT_EQ(&Policy::load("guided-memory-stepwise").kind(), &stepwise_policy());
}

TEST(Policy, FeaturesDoNotDependOnScale) {
  const Problem small = chain(9, false);
  WorkloadBuilder builder("chain");
  std::vector<BufferId> buffers;
  for (std::size_t i = 0; i < 9; ++i)
    buffers.push_back(builder.add_buffer({.bytes = 70.0 * static_cast<double>(i + 1)}));
  for (std::size_t i = 0; i < 9; ++i)
    builder.add_operation({.flops = 5e6 * static_cast<double>(i + 1)},
                          i > 0 ? std::span<const BufferId>(&buffers[i - 1], 1) : std::span<const BufferId>(),
                          std::span(&buffers[i], 1));
  const Problem large{.workload = std::move(builder).build(), .machine = small.machine, .objective = small.objective};
  const GraphView one(small), other(large);
  const Features a = features_of(one, reference_order(one).places),
                 b = features_of(other, reference_order(other).places);
  for (std::size_t i = 0; i < a.rows.size(); ++i) EXPECT_NEAR(a.rows[i], b.rows[i], 1e-5) << i % kFeatures;
}

}  // namespace
}  // namespace hone
