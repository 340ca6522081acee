#include "plan/search/task.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/problem/check.h"
#include "plan/search/paired_plan_test.h"

namespace hone {
namespace {

Problem random_problem(std::uint64_t seed) {
  Rng rng(seed);
  Workload workload = random_workload(rng, 40);
  return {.workload = std::move(workload), .machine = random_machine(rng)};
}

Decisions random_decisions(const Task& task, Rng& rng) {
  Decisions keys(task.sites().size());
  for (float& key : keys) key = static_cast<float>(rng.below(1 << 24)) * 0x1.0p-24F;
  return keys;
}

TEST(Task, OptionsAndKeysAreInverse) {
  for (std::uint32_t options = 1; options <= 64; ++options)
    for (std::uint32_t option = 0; option < options; ++option)
      EXPECT_EQ(option_of(key_of(option, options), options), option);
  EXPECT_EQ(option_of(0.0F, 3), 0U);
  EXPECT_EQ(option_of(1.0F, 3), 2U);
}

TEST(Task, AnyDecisionsMakeAValidPlan) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = random_problem(seed);
    const std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers");
    Rng rng(seed);
    Plan plan = undecided_plan(problem);
    task->apply(random_decisions(*task, rng), plan);
    EXPECT_EQ(check(problem.workload, problem.machine, plan), std::nullopt);
  }
}

TEST(Task, EncodingKeepsDevicesAndTheOrderOfPriorities) {
  const Problem problem = random_problem(1);
  const std::unique_ptr<Task> task = make_task(problem, "place+schedule");
  Rng rng(1);
  Plan plan = undecided_plan(problem);
  task->apply(random_decisions(*task, rng), plan);
  Plan again = undecided_plan(problem);
  task->apply(task->encode(plan), again);
  EXPECT_EQ(again.device_of, plan.device_of);
  for (std::size_t i = 0; i < plan.priority.size(); ++i)
    for (std::size_t j = 0; j < plan.priority.size(); ++j)
      EXPECT_EQ(plan.priority[i] < plan.priority[j], again.priority[i] < again.priority[j]);
}

TEST(Task, WhetherDevicesWaitIsOneDecision) {
  const Problem problem = random_problem(1);
  const std::unique_ptr<Task> task = make_task(problem, "wait");
  ASSERT_EQ(task->sites().size(), 1U);
  for (const Waiting waiting : {Waiting::never, Waiting::in_line}) {
    Plan plan = undecided_plan(problem), again = plan;
    plan.waiting = waiting;
    task->apply(task->encode(plan), again);
    EXPECT_EQ(again, plan);
  }
}

TEST(Task, ATaskLeavesTheRestOfThePlanAlone) {
  const Problem problem = random_problem(2);
  Plan plan = undecided_plan(problem);
  const Plan before = plan;
  const std::unique_ptr<Task> task = make_task(problem, "schedule");
  task->apply(Decisions(task->sites().size(), 0.25F), plan);
  EXPECT_EQ(plan.device_of, before.device_of);
  EXPECT_EQ(plan.transfer_priority, before.transfer_priority);
  EXPECT_NE(plan.priority, before.priority);
}

TEST(Task, OperationsThatMustShareADeviceAreOneSite) {
  WorkloadBuilder builder("pair");
  for (int i = 0; i < 3; ++i) {
    const BufferId output = builder.add_buffer({.name = fmt::format("out{}", i), .bytes = 4});
    const Operation operation{.name = fmt::format("work{}", i), .flops = 1, .bytes = 4, .colocate = i < 2 ? 7U : 0U};
    builder.add_operation(operation, {}, std::span(&output, 1));
  }
  Rng rng(3);
  const Problem problem{.workload = std::move(builder).build(), .machine = random_machine(rng)};
  EXPECT_EQ(make_task(problem, "place")->sites().size(), 2U);
}

TEST(Task, SitesSayWhatTheyDecide) {
  const Problem problem = random_problem(4);
  const Plan start = undecided_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, "schedule+transfers");
  const Decisions before(task->sites().size(), 0.5F);
  Plan expected = start;
  task->apply(before, expected);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Site& site = task->sites()[i];
    Decisions keys = before;
    keys[i] = 0.75F;
    Plan plan = start;
    task->apply(keys, plan);
    std::vector<float>& field = site.field == PlanField::priority ? expected.priority : expected.transfer_priority;
    field[site.entry] = 0.75F;
    EXPECT_EQ(plan, expected);
    field[site.entry] = 0.5F;
  }
}

TEST(Task, GroupsAreSitesWhereAPlanHasThem) {
  const Problem problem = random_problem(4);
  const Plan start = paired_plan(problem);
  ASSERT_LT(start.group_count(), problem.workload.operation_count());
  const std::unique_ptr<Task> schedule = make_task(problem, "schedule", start);
  EXPECT_EQ(schedule->sites().size(), start.group_count());
  const std::unique_ptr<Task> place = make_task(problem, "place", start);
  EXPECT_LE(place->sites().size(), start.group_count());
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    const OperationId operation(i);
    ASSERT_EQ(schedule->sites_about(operation).size(), 1U);
    EXPECT_EQ(schedule->sites_about(operation).front(), start.group(operation).index());
    ASSERT_EQ(place->sites_about(operation).size(), 1U);
    for (std::size_t j = 0; j < i; ++j)
      if (start.group(OperationId(j)) == start.group(operation)) {
        EXPECT_EQ(place->sites_about(OperationId(j)).front(), place->sites_about(operation).front());
      }
  }
}

TEST(Task, AnyDecisionsAboutGroupsMakeAValidPlan) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = random_problem(seed);
    const Plan start = paired_plan(problem);
    const std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers", start);
    Rng rng(seed);
    Plan plan = start;
    task->apply(random_decisions(*task, rng), plan);
    EXPECT_EQ(check(problem.workload, problem.machine, plan), std::nullopt);
    EXPECT_EQ(plan.group_of, start.group_of);
    Plan again = start;
    task->apply(task->encode(plan), again);
    EXPECT_EQ(again.device_of, plan.device_of);
  }
}

TEST(Task, OperationThatNoDeviceCanRunIsRefused) {
  WorkloadBuilder builder("stuck");
  builder.set_device_kinds({"no-such-device"});
  builder.add_operation({.name = "work", .seconds = {std::numeric_limits<double>::quiet_NaN()}}, {}, {});
  Rng rng(3);
  const Problem problem{.workload = std::move(builder).build(), .machine = random_machine(rng)};
  EXPECT_THROW(undecided_plan(problem), InputError);
}

TEST(Task, CommasAndPlusesJoin) {
  const Problem problem = random_problem(1);
  const std::size_t sites = make_task(problem, "place+schedule+transfers")->sites().size();
  EXPECT_EQ(make_task(problem, "place,schedule,transfers")->sites().size(), sites);
  EXPECT_EQ(make_task(problem, "place,schedule+transfers")->sites().size(), sites);
  EXPECT_EQ(make_task(problem, "place,schedule")->sites().size(), make_task(problem, "place+schedule")->sites().size());
}

/// A task that decides as much as it is told to, wherever commas stand.
struct CountedSites {
  std::int64_t first = 0, second = 0;
  Parameters list() {
    return Parameters()
        .add("first", &first, {0, 100}, "sites at first")
        .add("second", &second, {0, 100}, "sites after these");
  }
};

class CountedSitesTask final : public Task {
 public:
  CountedSitesTask(CountedSites count, const Problem&, const Plan&) {
    for (std::int64_t i = 0; i < count.first + count.second; ++i) add_site({});
  }
  void apply(std::span<const float>, Plan&) const override {}
  Decisions encode(const Plan&) const override { return Decisions(sites().size()); }
};

const TaskKind counted_kind =
    TaskKind::with_parameters<CountedSitesTask, CountedSites>("test-counted", "sites that decide nothing; for tests");

TEST(Task, CommasStandBetweenParametersToo) {
  const Problem problem = random_problem(1);
  const auto sites = [&](std::string_view names) { return make_task(problem, names)->sites().size(); };
  EXPECT_EQ(sites("test-counted:first=3,second=4"), 7U);
  EXPECT_EQ(sites("test-counted:first=3,second=4,test-counted:first=1"), 8U);
  EXPECT_EQ(sites("test-counted,test-counted:second=4,first=3,test-counted:first=5"), 12U);
  EXPECT_THROW(sites("test-counted,second=4"), InputError);
}

/// What is said about names that are no task.
std::string complaint_about(std::string_view names) {
  try {
    make_task(random_problem(1), names);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Task, UnknownNamesAreRefused) {
  EXPECT_NE(complaint_about("place+dance").find("'dance'"), std::string::npos);
  EXPECT_NE(complaint_about("place,dance,schedule").find("'dance'"), std::string::npos);
  EXPECT_NE(complaint_about("place,").find("''"), std::string::npos);
  EXPECT_NE(complaint_about("").find("''"), std::string::npos);
}

}  // namespace
}  // namespace hone
