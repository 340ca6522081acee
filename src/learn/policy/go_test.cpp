#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "bench/random_problem.h"
#include "learn/policy/go_chain.h"
#include "learn/policy/go_pipelines.h"
#include "learn/policy/unlearned_policy.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/check.h"
#include "plan/search/optimizer.h"
#include "plan/simulate/objective_cost.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

Problem problem_for_go(std::uint64_t seed, std::size_t operations) {
  return {.workload = layered_training_workload(operations, seed),
          .machine = load_machine("p100-4"),
          .objective = Objective::seconds};
}

Policy unlearned_go(std::string_view name) {
  return {
      unlearned_policy(name, {&go_policy(), {.width = 8, .rounds = 2, .encoder = &sage_encoder}}, Objective::seconds),
      name};
}

/// What chains of a policy are drawn for.
struct Asked {
  explicit Asked(Problem given, const Policy& policy, std::string_view tasks = "place+schedule")
      : problem(std::move(given)),
        view(problem),
        network(policy),
        embedded(network.encode(view, go_features_of(view))),
        start(undecided_plan(problem)),
        task(make_task(problem, tasks, start)),
        cost(problem) {}

  GoChain chain(GoDecode decode) {
    return {{view, network, embedded, *task, start, decode, GoTasks::of(*task), task->encode(start)},
            [this](const Decisions& row) {
              Plan plan = start;
              task->apply(row, plan);
              return cost.trace(plan);
            }};
  }

  Problem problem;
  GraphView view;
  GoNetwork network;
  std::vector<float> embedded;
  Plan start;
  std::unique_ptr<Task> task;
  ObjectiveCost cost;
};

ListPoint point_of(Asked& asked, std::span<const DeviceId> device_of) {
  Plan plan = asked.start;
  plan.device_of.assign(device_of.begin(), device_of.end());
  return ListPoint::of(*asked.cost.trace(plan), plan, asked.problem);
}

std::vector<DeviceId> drawn_devices(std::size_t operations, std::size_t devices, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<DeviceId> drawn;
  for (std::size_t i = 0; i < operations; ++i) drawn.emplace_back(rng.below(devices));
  return drawn;
}

TEST(Go, RenamingDevicesThatAreAlikeRenamesScoresAndNothingElse) {
  const Policy policy = unlearned_go("untrained");
  Asked asked(problem_for_go(1, 60), policy);
  const std::size_t devices = asked.view.devices();
  const std::vector<std::size_t> renamed = {2, 0, 3, 1};
  const std::vector<DeviceId> before = drawn_devices(asked.view.operations(), devices, 5);
  const ListPoint point = point_of(asked, before);
  ListPoint other_point = point;  // the simulator itself tells devices apart where transfers are queued at once
  for (DeviceId& device : other_point.device_of) device = DeviceId(renamed[device.index()]);
  const auto scores = [&](const ListPoint& at) {
    return asked.network.decide(asked.view, asked.embedded, go_sight_of(asked.view, &at, {}, {}), {});
  };
  const GoScores one = scores(point), other = scores(other_point);
  const auto expect_near = [](std::span<const float> these, std::span<const float> those) {
    ASSERT_EQ(these.size(), those.size());
    for (std::size_t i = 0; i < these.size(); ++i) ASSERT_NEAR(these[i], those[i], 1e-5) << i;
  };
  expect_near(one.schedule, other.schedule);
  expect_near(one.graph, other.graph);
  bool differ = false;
  for (std::size_t i = 0; i < asked.view.operations(); ++i)
    for (std::size_t device = 0; device < devices; ++device) {
      const float score = one.place[i * (devices + 1) + 1 + device];
      ASSERT_NEAR(score, other.place[i * (devices + 1) + 1 + renamed[device]], 1e-5);
      differ = differ || std::abs(score - one.place[i * (devices + 1) + 1]) > 1e-4F;
    }
  EXPECT_TRUE(differ) << "scores that are all the same prove nothing";
}

TEST(Go, AtZeroStepsTheLikeliestPassIsThatOfTheListConstructor) {
  const Policy policy = unlearned_go("zero-step");
  Asked asked(problem_for_go(2, 60), policy);
  GoChain chain = asked.chain(GoDecode::list);
  Rng rng(1);
  const GoStep step = *chain.step(0, rng);
  const Durations durations(asked.problem);
  ListDecoder decoder(durations);
  const GoPass pass = GoPass::numbered(step.choice.pass);
  const bool is_forward = pass.direction == Direction::forward;
  const Plan plan = decoder.decode({.direction = pass.direction,
                                    .keys = is_forward ? seconds_to_the_end(durations, TransfersOnPath::averaged)
                                                       : seconds_from_the_start(durations, TransfersOnPath::averaged),
                                    .haste = pass.haste,
                                    .transfer_price = pass.transfer_price},
                                   asked.start);
  Plan decided = asked.start;  // a list schedule also orders transfers, which the task does not
  asked.task->apply(asked.task->encode(plan), decided);
  EXPECT_EQ(asked.cost.evaluate(decided).seconds, step.after.value);
}

TEST(Go, WithoutPassesIsThePlainHead) {
  const Policy policy = unlearned_go("untrained");
  Asked asked(problem_for_go(3, 60), policy);
  Rng rng(1), same(1);
  const GoStep step = *asked.chain(GoDecode::list).step(0, rng);
  const GoScores scores =
      asked.network.decide(asked.view, asked.embedded, go_sight_of(asked.view, nullptr, {}, {}), {});
  const GoChoice choice = draw_go_choice(scores, asked.view.devices(), 0, true, same);
  EXPECT_EQ(step.choice.place, choice.place);
  EXPECT_EQ(step.choice.schedule, choice.schedule);
  EXPECT_EQ(step.choice.pass, choice.pass);
}

TEST(Go, ChainsGoOnFromTheBetterPlan) {
  const Policy policy = unlearned_go("zero-step");
  for (const GoDecode decode : {GoDecode::list, GoDecode::direct}) {
    Asked asked(problem_for_go(4, 80), policy, "place+schedule+fuse-levels");
    GoChain chain = asked.chain(decode);
    Rng rng(2);
    Score best{.excess = INFINITY, .value = INFINITY};
    for (int pass = 0; pass < 6; ++pass) {
      const GoStep step = *chain.step(1, rng);
      if (pass > 0) {
        EXPECT_EQ(step.before, best);
      }
      best = std::min(step.after, decode == GoDecode::direct ? chain.best() : best);
      EXPECT_EQ(chain.best(), best);
    }
  }
}

TEST(Go, EveryDeviceGetsWorkFromStretches) {
  const Policy policy = unlearned_go("zero-step");
  Asked asked(problem_for_go(5, 80), policy);
  const GoDecoder decoder(asked.view, *asked.task, GoDecode::direct);
  Plan plan = asked.start;
  asked.task->apply(decoder.stretches(asked.start), plan);
  std::vector<int> used(asked.view.devices());
  for (const DeviceId device : plan.device_of) ++used[device.index()];
  for (const int count : used) EXPECT_GT(count, 0);
}

TEST(Go, DecidesNoMoreThanItIsAskedAbout) {
  Problem problem = problem_for_go(6, 50);
  for (const char* tasks : {"place", "schedule", "place+schedule", "place+fuse", "place+schedule+transfers"}) {
    const Solution solution = solve(problem, tasks, "go:policy=untrained,chains=2,passes=2",
                                    {.budget = {.evaluations = 20}, .show_progress = false});
    EXPECT_EQ(check(problem, solution.plan), std::nullopt) << tasks;
    EXPECT_GT(solution.evaluations, 3U) << tasks;
  }
}

TEST(Go, ChainsGoOnFromThePlanTheyBeginWith) {
  const Policy policy = unlearned_go("untrained");
  Asked asked(problem_for_go(9, 80), policy);
  GoChain chain = asked.chain(GoDecode::list);
  ASSERT_TRUE(chain.begin(GoDecoder(asked.view, *asked.task, GoDecode::list).stretches(asked.start)));
  const Score begun = chain.best();
  Rng rng(1);
  const std::optional<GoStep> step = chain.step(1, rng);
  ASSERT_TRUE(step);
  EXPECT_FALSE(step->first);
  EXPECT_EQ(step->before, begun);
  EXPECT_LE(chain.best(), begun);
}

TEST(Go, PipelinesComeTheBestFirstAndNotWhereKernelsAreDecided) {
  const Problem problem = problem_for_go(10, 80);
  const Plan start = undecided_plan(problem);
  for (const char* tasks : {"place+schedule", "place+schedule+fuse"}) {
    const std::unique_ptr<Task> task = make_task(problem, tasks, start);
    Search search(problem, *task, *evaluator_for(problem), start,
                  {.budget = {.evaluations = 100}, .show_progress = false});
    const std::vector<Decisions> rows = best_go_pipelines(search, 3);
    ASSERT_EQ(rows.size(), tasks == std::string_view("place+schedule") ? 3U : 0U);
    std::vector<Score> scores;
    for (const Decisions& row : rows) scores.push_back(search.score(search.evaluate(row).front()));
    EXPECT_TRUE(std::ranges::is_sorted(scores));
    EXPECT_TRUE(scores.empty() || scores.front() == search.best());
  }
}

TEST(Go, PartsCanBeTakenAway) {
  const Policy policy = unlearned_go("untrained");
  Asked asked(problem_for_go(7, 50), policy);
  const std::vector<DeviceId> devices = drawn_devices(asked.view.operations(), 4, 5);
  const ListPoint point = point_of(asked, devices);
  const GoSight sight = go_sight_of(asked.view, &point, {}, {});
  const GoScores whole = asked.network.decide(asked.view, asked.embedded, sight, {});
  for (const GoWithout without : {GoWithout::attention, GoWithout::superposition, GoWithout::recurrence}) {
    const GoNetwork less(policy, without);
    EXPECT_NE(less.decide(asked.view, asked.embedded, sight, {}).schedule, whole.schedule);
  }
}

/// The most memory that this process has held since it was last asked; nothing where the system does not say.
std::optional<double> most_held_since_reset() {
  std::optional<double> kilobytes;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") status >> kilobytes.emplace();
  std::ofstream("/proc/self/clear_refs") << 5;
  return kilobytes;
}

double kilobytes_to_decide(const Policy& policy, std::size_t operations) {
  Asked asked(problem_for_go(8, operations), policy);
  most_held_since_reset();
  const double before = most_held_since_reset().value_or(0);
  const GoScores scores =
      asked.network.decide(asked.view, asked.embedded, go_sight_of(asked.view, nullptr, {}, {}), {});
  EXPECT_EQ(scores.place.size(), asked.view.operations() * (asked.view.devices() + 1));
  return most_held_since_reset().value_or(0) - before;
}

TEST(Go, MemoryGrowsWithTheGraphAndNoFaster) {
  const Policy policy = unlearned_go("untrained");
  const double small = kilobytes_to_decide(policy, 8000), large = kilobytes_to_decide(policy, 32000);
  if (small <= 0) GTEST_SKIP() << "the system does not say what is held";
  EXPECT_LT(large, 6 * small);  // four times the operations; the square would be sixteen
}

}  // namespace
}  // namespace hone
