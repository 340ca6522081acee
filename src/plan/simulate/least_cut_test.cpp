#include "plan/simulate/least_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "bench/random_problem.h"
#include "plan/simulate/bounds.h"
#include "plan/simulate/max_flow.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

/// One device that runs one operation at a time.
Machine one_device() {
  for (std::uint64_t seed = 1;; ++seed) {
    Rng rng(seed);
    Machine machine = random_machine(rng);
    if (machine.device_count() != 1) continue;
    for (DeviceKind& kind : machine.kinds) kind.streams = 1;
    return machine;
  }
}

/// All orders in which producers come before readers.
void for_each_order(const OrderMemory& memory, std::vector<OperationId>& order,
                    const std::function<void(const std::vector<OperationId>&)>& visit) {
  if (order.size() == memory.operation_count()) return visit(order);
  for (std::size_t i = 0; i < memory.operation_count(); ++i) {
    const auto done = [&](OperationId operation) { return std::ranges::find(order, operation) != order.end(); };
    if (done(OperationId(i)) || !std::ranges::all_of(memory.before(OperationId(i)), done)) continue;
    order.emplace_back(i);
    for_each_order(memory, order, visit);
    order.pop_back();
  }
}

std::vector<OperationId> listed(const Workload& workload) {
  return {workload.topological_order().begin(), workload.topological_order().end()};
}

TEST(MaxFlowTest, FindsTheCheapestCutAndItsTwoEnds) {
  // 0 -> 1 -> 2 -> 3 with the bottleneck twice.
  MaxFlow flow(4);
  flow.add_edge(0, 1, 2);
  flow.add_edge(1, 2, 5);
  flow.add_edge(2, 3, 2);
  EXPECT_EQ(flow.solve(0, 3), 2);
  EXPECT_EQ(flow.source_side(), (std::vector<char>{1, 0, 0, 0}));
  EXPECT_EQ(flow.off_sink_side(), (std::vector<char>{1, 1, 1, 0}));
}

TEST(MaxFlowTest, SendsFlowBackWhereThatHelps) {
  MaxFlow flow(4);
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2), std::pair(1, 3), std::pair(2, 3)})
    flow.add_edge(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), 1);
  EXPECT_EQ(flow.solve(0, 3), 2);
}

TEST(OrderMemoryTest, AgreesWithTheSimulator) {
  const Machine machine = one_device();
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    const Workload workload = random_workload(rng, 25);
    const OrderMemory memory(workload);
    Plan plan = plan_on_one_device(workload);
    for (std::size_t i = 0; i < workload.operation_count(); ++i) plan.priority.push_back(-static_cast<float>(i));
    const std::vector<OperationId> order = listed(workload);
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      plan.priority[order[rank].index()] = -static_cast<float>(rank);
    Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
    EXPECT_EQ(static_cast<double>(memory.peak_bytes(order)), simulator.evaluate(plan).peak_bytes) << "seed " << seed;
  }
}

TEST(LeastCutTest, IsTheLeastOfAllOrders) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    const Workload workload = random_workload(rng, 7);
    const OrderMemory memory(workload);
    std::vector<std::int64_t> least(workload.operation_count(), std::numeric_limits<std::int64_t>::max());
    std::vector<OperationId> order;
    for_each_order(memory, order, [&](const std::vector<OperationId>& complete) {
      const std::vector<std::int64_t> profile = memory.profile(complete);
      for (std::size_t at = 0; at < profile.size(); ++at)
        least[complete[at].index()] = std::min(least[complete[at].index()], profile[at]);
    });
    const std::vector<OperationId> start = listed(workload);
    for (std::size_t at = 0; at < start.size(); ++at)
      EXPECT_EQ(least_cut(memory, start, {0, start.size()}, at).bytes, least[start[at].index()]) << "seed " << seed;
  }
}

TEST(LeastCutTest, TheCutsHoldWhatTheySay) {
  Rng rng(3);
  const Workload workload = random_workload(rng, 40);
  const OrderMemory memory(workload);
  const std::vector<OperationId> order = listed(workload);
  const OrderSegment segment{5, 35};
  for (std::size_t at = segment.first; at < segment.last; ++at) {
    const LeastCut cut = least_cut(memory, order, segment, at);
    for (const std::vector<char>& before : {cut.fewest, cut.most}) {
      std::vector<OperationId> moved = order;
      const auto key = [&](std::size_t position) {
        return position == at ? 1 : before[position - segment.first] != 0 ? 0 : 2;
      };
      std::vector<std::size_t> positions(segment.last - segment.first);
      std::iota(positions.begin(), positions.end(), segment.first);
      std::ranges::stable_sort(positions, {}, key);
      for (std::size_t i = 0; i < positions.size(); ++i) moved[segment.first + i] = order[positions[i]];
      const auto now = static_cast<std::size_t>(std::ranges::find(moved, order[at]) - moved.begin());
      EXPECT_EQ(memory.profile(moved)[now], cut.bytes);
    }
  }
}

TEST(LeastCutTest, BoundsEveryOrder) {
  const Machine machine = one_device();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const Workload workload = random_workload(rng, 7);
    const OrderMemory memory(workload);
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::vector<OperationId> order;
    for_each_order(memory, order, [&](const std::vector<OperationId>& complete) {
      lowest = std::min(lowest, memory.peak_bytes(complete));
    });
    EXPECT_LE(least_peak_bytes(memory, listed(workload), 100), lowest);
    EXPECT_LE(lower_bounds(workload, machine, Fusion::none).peak_bytes(), static_cast<double>(lowest));
  }
}

}  // namespace
}  // namespace hone
