#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plan/methods/interval_split.h"
#include "plan/methods/load_state.h"
#include "plan/methods/small_placement_test.h"

namespace hone {
namespace {

void expect_the_best(const Objective& objective, const char* optimizer, std::uint64_t evaluations) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const Problem problem = draw_problem(rng, objective);
    const Score best = best_by_trying_all(problem), found = solve_with(problem, optimizer, evaluations).score;
    EXPECT_EQ(found.excess, best.excess) << "seed " << seed;
    EXPECT_NEAR(found.value, best.value, 1e-9) << "seed " << seed;
  }
}

TEST(PartitionTest, FindsTheBestThroughputOfSmallGraphs) {
  expect_the_best(Objective::throughput, "partition:patience=2", 1000);
}

TEST(PartitionTest, FindsTheBestLatencyOfSmallGraphs) {
  expect_the_best(Objective::latency, "partition:patience=6", 20'000);
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
      const bool colocated = graph.size() < problem.workload.operation_count();  // then there may be circles
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
    builder.add_operation({.name = "w", .seconds = {1.0, 50.0}}, std::span(&at, 1), std::span(&result, 1));
    at = result;
  }
  Rng rng(1);
  Problem problem = draw_problem(rng, Objective::throughput);
  problem.workload = std::move(builder).build();
  EXPECT_DOUBLE_EQ(solve_with(problem, "expert", 100).score.value, 4);
}

}  // namespace
}  // namespace hone
