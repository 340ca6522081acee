#include <gtest/gtest.h>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/random_tasks_test.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

/// A task that counts the plans that are turned into decisions, which is one for every schedule that is made.
class CountingTask final : public Task {
 public:
  explicit CountingTask(const Problem& problem) : inner_(make_task(problem, "place+schedule+transfers")) {
    for (const Site& site : inner_->sites()) add_site(site);
  }
  void apply(std::span<const float> keys, Plan& plan) const override { inner_->apply(keys, plan); }
  Decisions encode(const Plan& plan) const override {
    ++encoded_;
    return inner_->encode(plan);
  }
  std::uint64_t encoded() const { return encoded_; }

 private:
  std::unique_ptr<Task> inner_;
  mutable std::uint64_t encoded_ = 0;
};

TEST(ListSearch, EveryPassIsAnEvaluation) {
  const Problem problem{.workload = layered_training_workload(150, 6), .machine = load_machine("p100-4")};
  for (const std::uint64_t budget : {5, 50, 400}) {
    const CountingTask task(problem);
    const SimulatedCost evaluator(problem);
    Search search(problem, task, evaluator, undecided_plan(problem),
                  {.budget = {.evaluations = budget}, .seed = 1, .show_progress = false});
    make_optimizer("list-search")->run(search);
    EXPECT_LE(task.encoded(), search.evaluations() + 1);  // the last one may have come too late
    EXPECT_EQ(search.evaluations(), budget);
  }
}

TEST(ListSearch, GoesOnFromThePlanItIsGiven) {
  const Problem problem{.workload = layered_training_workload(300, 7), .machine = load_machine("p100-4")};
  EXPECT_LE(solve(problem, "m-etf+list-search", 100).score, solve(problem, "m-etf", 100).score);
}

TEST(ListSearch, AWorsePlanBeforeItChangesNothing) {
  const Problem problem{.workload = layered_training_workload(300, 7), .machine = load_machine("p100-4")};
  ASSERT_GT(solve(problem, "shortest-first", 10).score, solve(problem, "list-search", 14).score);
  EXPECT_EQ(solve(problem, "shortest-first+list-search", 101).score, solve(problem, "list-search", 100).score);
}

TEST(ListSearch, LeavesTheRestOfTheBudgetOnlyWhenItHasStalled) {
  const Problem problem{.workload = layered_training_workload(300, 7), .machine = load_machine("p100-4")};
  EXPECT_EQ(solve(problem, "list-search:until=0.1,stall=100", 100).evaluations, 100U);
  EXPECT_EQ(solve(problem, "list-search:stall=5", 100).evaluations, 100U);
  EXPECT_LT(solve(problem, "list-search:until=0.1,stall=5", 100).evaluations, 100U);
}

/// Where memory is so short that only a plan made for memory is known to fit, and a little shorter.
TEST(ListSearch, FitsWhereMemoryIsShort) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Problem problem{.workload = layered_training_workload(300, seed),
                    .machine = load_machine("p100-4"),
                    .objective = Objective::peak_bytes};
    const double least = solve(problem, "memory-greedy", 10).cost.peak_bytes;
    problem.objective = Objective::seconds_in_memory;
    problem.machine.kinds.front().memory_bytes = 1.02 * least;
    EXPECT_TRUE(solve(problem, "list-search", 300).cost.feasible()) << seed;
  }
}

TEST(ListSearch, IsMuchBetterThanOnePass) {
  const Problem problem{.workload = layered_training_workload(500, 8), .machine = load_machine("p100-4")};
  EXPECT_LT(solve(problem, "list-search", 500).cost.seconds, 0.95 * solve(problem, "heft").cost.seconds);
}

}  // namespace
}  // namespace hone
