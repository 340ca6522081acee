// What the search methods come to on problems whose best plan is known, and against blind search.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/simulated_cost.h"
#include "plan/solve/solve.h"
#include "zoo/synthetic.h"

namespace hone {
namespace {

constexpr const char* kMethods[] = {"local", "anneal", "beam", "mcts", "cem"};
constexpr std::size_t kOperations = 6;

Solution found_by(const Problem& problem, std::string_view optimizer, std::uint64_t evaluations) {
  return solve(problem, "place+schedule", optimizer, {.budget = {.evaluations = evaluations}, .seed = 1});
}

/// The best of all placements on two devices and all orders of priority.
Score best_by_enumeration(const Problem& problem) {
  SimulatedCost evaluator(problem);
  Plan plan = undecided_plan(problem);
  Score best = score(problem.objective, evaluator.evaluate(plan));
  plan.priority.resize(kOperations);
  std::iota(plan.priority.begin(), plan.priority.end(), 0.0F);
  do {
    for (std::size_t placement = 0; placement < std::size_t{1} << kOperations; ++placement) {
      for (std::size_t i = 0; i < kOperations; ++i) plan.device_of[i] = DeviceId(placement >> i & 1);
      best = std::min(best, score(problem.objective, evaluator.evaluate(plan)));
    }
  } while (std::ranges::next_permutation(plan.priority).found);
  return best;
}

TEST(SearchMethods, FindTheBestPlanOfSmallProblems) {
  for (const Objective& objective : {Objective::seconds_in_memory, Objective::peak_bytes})
    for (const char* machine : {"regal-2", "p100-2"})
      for (const zoo::GraphFamily family : {zoo::GraphFamily::layered, zoo::GraphFamily::erdos_renyi}) {
        Rng rng(3);
        const Problem problem{.workload = zoo::synthetic_graph(family, kOperations, rng),
                              .machine = load_machine(machine),
                              .objective = objective};
        ASSERT_EQ(problem.workload.operation_count(), kOperations);
        const Score best = best_by_enumeration(problem);
        for (const char* method : kMethods)
          EXPECT_EQ(found_by(problem, method, 2000).score.value, best.value)
              << method << " for " << name_of(objective) << " on " << machine << ", " << zoo::name_of(family);
      }
}

TEST(SearchMethods, BeatBlindSearch) {
  for (const Objective& objective : {Objective::seconds, Objective::peak_bytes}) {
    const Problem problem{
        .workload = layered_training_workload(150, 4), .machine = load_machine("p100-4"), .objective = objective};
    const double blind = found_by(problem, "random", 600).score.value;
    for (const char* method : kMethods)
      EXPECT_LT(found_by(problem, method, 600).score.value, 0.98 * blind) << method << " for " << name_of(objective);
  }
}

TEST(SearchMethods, ImproveOnARule) {
  const Problem problem{.workload = layered_training_workload(150, 5),
                        .machine = load_machine("p100-4"),
                        .objective = Objective::seconds};
  const Score rule = found_by(problem, "critical-path", 600).score;
  for (const char* method : kMethods)
    EXPECT_LT(found_by(problem, fmt::format("critical-path+{}", method), 600).score, rule) << method;
}

}  // namespace
}  // namespace hone
