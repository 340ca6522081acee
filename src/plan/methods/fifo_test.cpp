#include <gtest/gtest.h>

#include <map>

#include "plan/machine/machine_file.h"
#include "plan/methods/random_tasks_test.h"
#include "plan/search/paired_plan_test.h"

namespace hone {
namespace {

/// Remembers which plans were traced.
class TracedPlans final : public Evaluator {
 public:
  TracedPlans(const Problem& problem, std::shared_ptr<std::vector<Plan>> plans)
      : problem_(problem), cost_(problem), plans_(std::move(plans)) {}

  Cost evaluate(const Plan& plan) override { return cost_.evaluate(plan); }
  std::optional<Timeline> trace(const Plan& plan) override {
    plans_->push_back(plan);
    return cost_.trace(plan);
  }
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<TracedPlans>(problem_, plans_); }

 private:
  const Problem& problem_;
  SimulatedCost cost_;
  std::shared_ptr<std::vector<Plan>> plans_;
};

/// What `fifo` makes of a start in the end, as it happens.
struct Outcome {
  Plan plan;
  Timeline timeline;
  std::size_t rounds = 0;

  Outcome(const Problem& problem, const Plan& start) {
    const auto plans = std::make_shared<std::vector<Plan>>();
    const std::unique_ptr<Task> task = make_task(problem, "schedule", start);
    Search search(problem, *task, TracedPlans(problem, plans), start,
                  {.budget = {.evaluations = 100}, .show_progress = false});
    make_optimizer("fifo")->run(search);
    plan = plans->back();
    rounds = plans->size();
    timeline = *SimulatedCost(problem).trace(plan);
  }

  /// The groups of a device as they start.
  std::vector<GroupId> order_on(DeviceId device) const {
    std::vector<GroupId> order;
    for (const Timeline::Run& run : timeline.runs)
      if (run.device == device) order.push_back(run.group);
    return order;
  }

  /// By group: when all it reads of other groups has been made, of buffers that move in no time.
  std::vector<double> ready(const Workload& workload) const {
    std::map<GroupId, double> finish;
    for (const Timeline::Run& run : timeline.runs) finish[run.group] = run.finish;
    std::vector<double> ready(plan.group_count());
    for (std::size_t i = 0; i < workload.operation_count(); ++i)
      for (const BufferId input : workload.inputs(OperationId(i))) {
        const GroupId from = plan.group(workload.buffer(input).producer), to = plan.group(OperationId(i));
        if (from != to) ready[to.index()] = std::max(ready[to.index()], finish.at(from));
      }
    return ready;
  }
};

/// `a` and `b` can start at once, `c` after `a` and `d`, elsewhere, after `c`. What has most ahead of it would run
/// first as a, c, b; but `b` waits for longer than `c`.
TEST(Fifo, RunsFirstWhatHasWaitedLongest) {
  WorkloadBuilder builder("waiting");
  builder.set_device_kinds({"processor"});
  std::vector<OperationId> operations;
  for (const double seconds : {1, 3, 1, 5}) {
    const BufferId output = builder.add_buffer({.name = "made", .transfer_seconds = 0});
    operations.push_back(
        builder.add_operation({.name = "work", .op = "task", .seconds = {seconds}}, {}, std::span(&output, 1)));
  }
  builder.add_dependency(operations[0], operations[2]);
  builder.add_dependency(operations[2], operations[3]);
  const Problem problem{
      .workload = std::move(builder).build(), .machine = load_machine("processors:2"), .objective = Objective::seconds};
  Plan start = plan_on_one_device(problem.workload);
  start.device_of[3] = DeviceId(1);
  start.priority = {0, 0, 1, 0};
  const Outcome outcome(problem, start);
  EXPECT_EQ(outcome.order_on(DeviceId(0)), (std::vector{GroupId(0), GroupId(1), GroupId(2)}));
  EXPECT_EQ(outcome.timeline.cost.seconds, 10);
  EXPECT_EQ(outcome.plan.device_of, start.device_of);
  EXPECT_EQ(solve(problem, "critical-path").cost.seconds, 7);
}

void expect_first_in_first_out(const Outcome& outcome, const Workload& workload) {
  const std::vector<double> ready = outcome.ready(workload);
  for (std::size_t device = 0; device < outcome.timeline.levels.size(); ++device) {
    double last = 0;
    for (const GroupId group : outcome.order_on(DeviceId(device))) {
      EXPECT_GE(ready[group.index()], last);
      last = ready[group.index()];
    }
  }
}

TEST(Fifo, LeavesNothingReadyBehindWhatWasReadyLater) {
  Rng rng(3);
  for (int round = 0; round < 20; ++round) {
    const Problem problem{
        .workload = random_tasks(rng, 40), .machine = load_machine("processors:3"), .objective = Objective::seconds};
    Plan start = plan_on_one_device(problem.workload);
    for (DeviceId& device : start.device_of) device = DeviceId(rng.below(3));
    const Outcome outcome(problem, start);
    EXPECT_LT(outcome.rounds, 16U);
    expect_first_in_first_out(outcome, problem.workload);
  }
}

TEST(Fifo, OrdersGroups) {
  Rng rng(5);
  for (int round = 0; round < 20; ++round) {
    const Problem problem{
        .workload = random_tasks(rng, 40), .machine = load_machine("processors:3"), .objective = Objective::seconds};
    Plan start = paired_plan(problem);
    for (DeviceId& device : start.device_of) device = DeviceId(rng.below(3));
    expect_first_in_first_out(Outcome(problem, start), problem.workload);
  }
}

}  // namespace
}  // namespace hone
