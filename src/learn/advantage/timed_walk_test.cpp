#include "learn/advantage/timed_walk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/hash.h"
#include "plan/fuse/random_loops_test.h"
#include "plan/problem/group_kernels.h"
#include "plan/problem/kernel_key.h"
#include "plan/search/optimizer.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

Problem loops_to_time(std::uint64_t seed, std::size_t operations) {
  Rng rng(seed);
  Problem problem = random_loops(rng, operations);
  problem.objective = Objective::seconds;
  return problem;
}

/// A machine on which every kernel takes what the model of kernels says, times something of its own.
class StrangeMachine final : public Evaluator {
 public:
  explicit StrangeMachine(const Problem& problem) : problem_(problem), timer_(problem.workload, problem.machine) {}

  Cost evaluate(const Plan& plan) override {
    Cost cost;
    for (const double seconds : group_seconds(plan)) cost.seconds += seconds;
    return cost;
  }
  std::vector<double> group_seconds(const Plan& plan) override {
    std::vector<double> seconds;
    for_each_kernel(problem_.workload, plan, [&](const GroupContents&, GroupId, const KernelView& kernel) {
      const double drawn = static_cast<double>(mix(kernel_key(problem_.workload, kernel), 1) >> 11) * 0x1.0p-53;
      seconds.push_back(timer_.seconds(kernel, 0) * std::exp(drawn - 0.5));
    });
    return seconds;
  }
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<StrangeMachine>(problem_); }

 private:
  const Problem& problem_;
  GroupTimer timer_;
};

Solution solved_there(const Problem& problem, std::string_view optimizer, std::uint64_t seed) {
  const Plan start = solve(problem, "fuse-edges", "fuse-priority", {.budget = {.evaluations = 2}}).plan;
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", start);
  const StrangeMachine machine(problem);
  Search search(problem, *task, machine, start, {.budget = {.evaluations = 60}, .seed = seed, .show_progress = false});
  make_optimizer(optimizer)->run(search);
  return search.finish();
}

TEST(TimedKernels, KnowWhatWasTimedAndGuessTheRestByIt) {
  const Problem problem = loops_to_time(3, 40);
  StrangeMachine machine(problem);
  TimedKernels kernels(problem);
  const Plan alone = plan_on_one_device(problem.workload);
  const OperationId operation(0);
  const KernelView kernel{.instances = {&operation, 1}, .stored = problem.workload.outputs(operation)};
  EXPECT_GT(kernels.at(kernel).deviation, 0);
  const std::vector<double> seconds = machine.group_seconds(alone);
  kernels.learn(alone, seconds);
  EXPECT_EQ(kernels.at(kernel).seconds, seconds.front());
  EXPECT_EQ(kernels.at(kernel).deviation, 0);
}

TEST(PlanDifferences, AreExactWhereAllKernelsWereTimed) {
  const Problem problem = loops_to_time(4, 40);
  const Plan start = undecided_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", start);
  StrangeMachine machine(problem);
  PlanDifferences differences(problem, *task, start);
  Decisions one = task->encode(start), other = one;
  for (std::size_t i = 0; i < other.size(); i += 3) other[i] = key_of(2, 3);
  const auto evaluated = [&](const Decisions& row) {
    Plan plan = start;
    task->apply(row, plan);
    differences.learn(row, machine.group_seconds(plan));
    return machine.evaluate(plan).seconds;
  };
  const double before = evaluated(one), after = evaluated(other);
  differences.set(one);
  const PlanDifferences::Difference difference = differences.to(other);
  EXPECT_NEAR(difference.seconds, after - before, 1e-9 * before);
  EXPECT_EQ(difference.deviation, 0);
  EXPECT_FALSE(difference.touched.empty());
  EXPECT_TRUE(differences.to(one).touched.empty());
}

TEST(TimedWalk, FindsMoreThanSearchesThatSeeSums) {
  double timed = 0, summed = 0, unguided = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Problem problem = loops_to_time(seed, 36);
    timed += solved_there(problem, "advantage", seed).cost.seconds;
    summed += solved_there(problem, "advantage:flips=single", seed).cost.seconds;
    unguided += solved_there(problem, "advantage:policy=none", seed).cost.seconds;
  }
  EXPECT_LT(timed, summed);
  EXPECT_LT(timed, 0.95 * unguided);
}

TEST(TimedWalk, LeavesNoKernelSlowerThanItsOperationsAlone) {
  const Problem problem = loops_to_time(7, 30);
  const Plan plan = solved_there(problem, "advantage", 1).plan;
  StrangeMachine machine(problem);
  const std::vector<double> alone = machine.group_seconds(plan_on_one_device(problem.workload));
  const std::vector<double> together = machine.group_seconds(plan);
  const GroupContents contents(problem.workload, plan);
  for (std::size_t i = 0; i < together.size(); ++i) {
    double sum = 0;
    for (const OperationId each : contents.instances(GroupId(i))) sum += alone[each.index()];
    EXPECT_LE(together[i], sum * (1 + 1e-9)) << contents.text(GroupId(i));
  }
}

}  // namespace
}  // namespace hone
