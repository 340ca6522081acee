#include "plan/methods/neighborhood.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/search/optimizer.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

struct NeighborhoodTest : testing::Test {
  Problem problem{.workload = layered_training_workload(100, 1), .machine = load_machine("p100-4")};
  std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers");
  Decisions start = task->encode(undecided_plan(problem));
  Rng rng{1};
};

TEST_F(NeighborhoodTest, ChangesStayDecisions) {
  Neighborhood neighborhood(problem, *task);
  Decisions row = start;
  for (int i = 0; i < 5000; ++i) neighborhood.change(row, rng);
  EXPECT_TRUE(std::ranges::all_of(row, [](float key) { return key >= 0 && key <= 1; }));
  EXPECT_NE(row, start);
}

TEST_F(NeighborhoodTest, AimsAtThoseToBlame) {
  Neighborhood neighborhood(problem, *task);
  const OperationId blamed(42);
  neighborhood.aim(std::vector<Blame>{{blamed, 1}}, 1);
  const std::span<const std::uint32_t> about = task->sites_about(blamed);
  int changed = 0, hit = 0;
  for (int i = 0; i < 1000; ++i) {
    Decisions row = start;
    neighborhood.change(row, rng);
    changed += row != start ? 1 : 0;
    hit += std::ranges::any_of(about, [&](std::uint32_t site) { return row[site] != start[site]; }) ? 1 : 0;
  }
  EXPECT_GT(changed, 300);
  EXPECT_GE(hit, 0.95 * changed);
}

TEST_F(NeighborhoodTest, LearnsWhichChangesHelp) {
  Neighborhood neighborhood(problem, *task);
  using Change = Neighborhood::Change;
  for (int i = 0; i < 1000; ++i)
    for (const Change change : {Change::choose, Change::rank, Change::gather, Change::shift, Change::exchange})
      neighborhood.learn(change, change == Change::gather);
  int gathered = 0;
  for (int i = 0; i < 1000; ++i) {
    Decisions row = start;
    gathered += neighborhood.change(row, rng) == Change::gather ? 1 : 0;
  }
  EXPECT_GT(gathered, 700);
  EXPECT_LT(gathered, 1000) << "the others must have their chance";
}

/// Decides priorities and does not say about which operation.
class SilentTask final : public Task {
 public:
  explicit SilentTask(std::uint32_t operations) {
    for (std::uint32_t i = 0; i < operations; ++i) add_site({.field = PlanField::priority, .entry = i});
  }
  void apply(std::span<const float> keys, Plan& plan) const override { plan.priority.assign(keys.begin(), keys.end()); }
  Decisions encode(const Plan&) const override { return Decisions(sites().size(), 0.5F); }
};

TEST_F(NeighborhoodTest, ReachesSitesThatBelongToNoOperation) {
  const SilentTask silent(7);
  Neighborhood neighborhood(problem, silent);
  Decisions row(7, 0.5F);
  for (int i = 0; i < 200; ++i) neighborhood.change(row, rng);
  EXPECT_TRUE(std::ranges::none_of(row, [](float key) { return key == 0.5F; }));
}

TEST_F(NeighborhoodTest, TasksSayWhatTheirSitesAreAbout) {
  const Plan start_plan = undecided_plan(problem);
  std::size_t tasks_with_sites = 0;  // a graph of operations has nothing to shard
  for (const TaskKind* kind : TaskKind::all()) {
    const std::unique_ptr<Task> one = kind->make("", problem, start_plan);
    std::vector<bool> known(one->sites().size());
    for (std::size_t i = 0; i < known.size(); ++i)  // whether devices wait is about all operations
      known[i] = one->sites()[i].field == PlanField::waiting;
    tasks_with_sites += known.empty() ? 0 : 1;
    for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
      for (const std::uint32_t site : one->sites_about(OperationId(i))) known.at(site) = true;
    EXPECT_TRUE(std::ranges::all_of(known, [](bool is_known) { return is_known; })) << kind->name();
  }
  EXPECT_GE(tasks_with_sites, 3U);
}

}  // namespace
}  // namespace hone
