#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/optimizer.h"
#include "evaluate/objective_cost.h"
#include "optimize/interval_split.h"
#include "optimize/load_state.h"

namespace hone {
namespace {

/// A small graph with stated times, colocated works and weights, on two accelerators and perhaps a host, memory tight.
Problem draw_problem(Rng& rng, const Objective& objective) {
  WorkloadBuilder builder("drawn");
  builder.set_device_kinds({"accelerator", "host"});
  const std::size_t works = 3 + rng.below(5);
  std::vector<BufferId> results;
  double total = 0;
  for (std::size_t i = 0; i < works; ++i) {
    const double bytes = static_cast<double>(1 + rng.below(20));
    total += bytes;
    std::vector<BufferId> inputs = {builder.add_buffer({.bytes = bytes, .kind = Buffer::Kind::weight})};
    for (const BufferId result : results)
      if (rng.below(3) == 0) inputs.push_back(result);
    results.push_back(builder.add_buffer({.transfer_seconds = static_cast<double>(rng.below(4))}));
    Work work{.name = "w", .colocate = rng.below(4) == 0 ? 1U : 0U};
    const auto seconds = static_cast<double>(1 + rng.below(9));
    work.seconds = {seconds, seconds * 3};
    if (rng.below(8) == 0) work.seconds[0] = std::numeric_limits<double>::quiet_NaN();
    builder.add_work(std::move(work), inputs, std::span(&results.back(), 1));
  }
  Machine machine{.name = "drawn", .kinds = {{.name = "accelerator"}, {.name = "host", .is_host = true}}};
  machine.kinds[0].memory_bytes = total * 0.7;
  machine.kinds[1].memory_bytes = std::numeric_limits<double>::infinity();
  for (DeviceKind& kind : machine.kinds) kind.flops.emplace_back(ElementType::float32, 1.0);
  machine.devices = {{"a0", 0}, {"a1", 0}, {"host", 1}};
  machine.links.push_back({.name = "link"});
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to) machine.routes.push_back(from == to ? LinkId() : LinkId(0));
  return {.workload = std::move(builder).build(), .machine = std::move(machine), .objective = objective};
}

/// The best score of all placements, one after another.
Score best_by_trying_all(const Problem& problem) {
  const LoadGraph graph(problem);
  ObjectiveCost judge(problem);
  Score best{.excess = std::numeric_limits<double>::infinity()};
  std::vector<std::size_t> option(graph.size());
  for (bool more = true; more;) {
    std::vector<std::uint32_t> device_of;
    for (std::size_t i = 0; i < graph.size(); ++i) device_of.push_back(graph.choices.devices(i)[option[i]].index());
    best = std::min(best, score(problem.objective, judge.evaluate(graph.plan(undecided_plan(problem), device_of))),
                    [](const Score& a, const Score& b) { return a < b; });
    more = false;
    for (std::size_t i = 0; i < graph.size() && !more; ++i) {
      more = ++option[i] < graph.choices.devices(i).size();
      if (!more) option[i] = 0;
    }
  }
  return best;
}

Score solve(const Problem& problem, std::string_view optimizer, std::uint64_t evaluations) {
  const std::unique_ptr<Task> task = make_task(problem, "place");
  Search search(problem, *task, ObjectiveCost(problem), undecided_plan(problem),
                {.budget = {.evaluations = evaluations}, .show_progress = false});
  make_optimizer(optimizer)->run(search);
  return search.finish().score;
}

TEST(PartitionTest, FindsTheBestThroughputOfSmallGraphs) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const Problem problem = draw_problem(rng, Objective::throughput);
    const Score best = best_by_trying_all(problem), found = solve(problem, "partition:patience=2", 1000);
    EXPECT_EQ(found.excess, best.excess) << "seed " << seed;
    EXPECT_NEAR(found.value, best.value, 1e-9) << "seed " << seed;
  }
}

TEST(PartitionTest, FindsTheBestLatencyOfSmallGraphs) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const Problem problem = draw_problem(rng, Objective::latency);
    const Score best = best_by_trying_all(problem), found = solve(problem, "partition:patience=6", 20'000);
    EXPECT_EQ(found.excess, best.excess) << "seed " << seed;
    EXPECT_NEAR(found.value, best.value, 1e-9) << "seed " << seed;
  }
}

TEST(LoadStateTest, FollowsMovesAsTheEvaluatorSeesThem) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const Problem problem = draw_problem(rng, Objective::throughput);
    const LoadGraph graph(problem);
    ObjectiveCost judge(problem);
    const Plan start = undecided_plan(problem);
    LoadState state(graph, graph.device_of(start));
    for (int move = 0; move < 50; ++move) {
      const auto choice = static_cast<std::uint32_t>(rng.below(graph.size()));
      const std::vector<DeviceId>& able = graph.choices.devices(choice);
      state.move(choice, able[rng.below(able.size())].index());
      const Cost cost = judge.evaluate(graph.plan(start, state.device_of()));
      ASSERT_NEAR(state.largest_load(), cost.load_seconds, 1e-9) << "seed " << seed;
      ASSERT_NEAR(state.excess_bytes(), cost.overflow_bytes, 1e-6) << "seed " << seed;
      ASSERT_GE(state.smooth_load(), state.largest_load());
    }
  }
}

TEST(IntervalSplitTest, IsTheBestOfAllCuts) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const Problem problem = draw_problem(rng, Objective::throughput);
    const LoadGraph graph(problem);
    const std::vector<std::uint32_t> order = order_choices(graph, Next::any, rng);
    const std::optional<Split> split = split_into_intervals(graph, order, SplitBy::largest_load);
    double best = std::numeric_limits<double>::infinity();
    constexpr std::uint32_t kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const auto& devices : kOrders)
      for (std::size_t first = 0; first <= order.size(); ++first)
        for (std::size_t second = first; second <= order.size(); ++second) {
          std::vector<std::uint32_t> device_of(graph.size());
          bool able = true;
          for (std::size_t i = 0; i < order.size(); ++i) {
            device_of[order[i]] = devices[(i >= first ? 1 : 0) + (i >= second ? 1 : 0)];
            able &= std::isfinite(graph.seconds_on(order[i], device_of[order[i]]));
          }
          if (!able) continue;
          const LoadState state(graph, device_of);
          if (state.excess_bytes() == 0) best = std::min(best, state.largest_load());
        }
    ASSERT_EQ(split.has_value(), std::isfinite(best)) << "seed " << seed;
    if (!split) continue;
    EXPECT_NEAR(split->value, best, 1e-9) << "seed " << seed;
    EXPECT_NEAR(LoadState(graph, split->device_of).largest_load(), best, 1e-9) << "seed " << seed;
  }
}

TEST(LoadGraphTest, OrdersPutProducersFirst) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const Problem problem = draw_problem(rng, Objective::throughput);
    const LoadGraph graph(problem);
    for (const Next next : {Next::deepest, Next::broadest, Next::any}) {
      const std::vector<std::uint32_t> order = order_choices(graph, next, rng);
      std::vector<std::size_t> place(graph.size(), SIZE_MAX);
      for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
      EXPECT_EQ(std::ranges::count(place, SIZE_MAX), 0) << "every choice once";
      const bool colocated = graph.size() < problem.workload.work_count();  // then there may be circles
      for (const auto& [before, after] : graph.arcs)
        if (!colocated) {
          EXPECT_LT(place[before], place[after]);
        }
    }
  }
}

TEST(ExpertTest, BalancesAChainOverItsDevices) {
  WorkloadBuilder builder("chain");
  builder.set_device_kinds({"accelerator", "host"});
  BufferId at = builder.add_buffer({.kind = Buffer::Kind::input});
  for (int i = 0; i < 8; ++i) {
    const BufferId result = builder.add_buffer({.transfer_seconds = 0});
    builder.add_work({.name = "w", .seconds = {1.0, 50.0}}, std::span(&at, 1), std::span(&result, 1));
    at = result;
  }
  Rng rng(1);
  Problem problem = draw_problem(rng, Objective::throughput);
  problem.workload = std::move(builder).build();
  EXPECT_DOUBLE_EQ(solve(problem, "expert", 100).value, 4);
}

}  // namespace
}  // namespace hone
