// Throughput and latency of placements against the same rules in the most literal form.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/simulate/load_bound.h"
#include "plan/simulate/objective_cost.h"

namespace hone {
namespace {

/// The rules of DeviceLoads and CallLatency for plans without groups, with sets and maps.
class Literal {
 public:
  Literal(const Problem& problem, const Plan& plan)
      : workload_(problem.workload), machine_(problem.machine), plan_(plan), times_(workload_, machine_) {}

  double largest_load() const {
    std::vector<double> load(machine_.device_count());
    for (std::size_t i = 0; i < workload_.operation_count(); ++i)
      load[plan_.device(OperationId(i)).index()] += seconds(OperationId(i));
    for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
      const BufferId buffer(i);
      const OperationId producer = workload_.buffer(buffer).producer;
      if (!producer.valid()) continue;
      const DeviceId from = plan_.device(producer);
      std::set<DeviceId> receivers;
      for (const OperationId reader : workload_.readers(buffer)) receivers.insert(plan_.device(reader));
      receivers.erase(from);
      double sending = 0;
      for (const DeviceId to : receivers) {
        sending = std::max(sending, moving(buffer, from, to));
        if (!machine_.kind(to).is_host) load[to.index()] += moving(buffer, from, to);
      }
      if (!machine_.kind(from).is_host) load[from.index()] += sending;
    }
    return *std::max_element(load.begin(), load.end());
  }

  double latency() {
    form_calls();
    std::set<OperationId> left;
    for (const OperationId operation : workload_.topological_order()) left.insert(operation);
    double last = 0;
    while (!left.empty()) {
      const std::set<OperationId> members = next_call(left);
      run(members);
      for (const OperationId member : members) {
        left.erase(member);
        last = std::max(last, finish_.at(member));
      }
    }
    return last;
  }

 private:
  double seconds(OperationId operation) const {
    return times_.at(operation, machine_.device(plan_.device(operation)).kind)
        .alone(workload_.operation(operation).bytes);
  }
  double moving(BufferId buffer, DeviceId from, DeviceId to) const {
    const Buffer& moved = workload_.buffer(buffer);
    if (moved.transfer_seconds >= 0) return moved.transfer_seconds;
    return from == to ? 0 : machine_.link(machine_.route(from, to)).seconds(moved.bytes);
  }
  std::vector<OperationId> before(OperationId operation) const {
    std::vector<OperationId> producers;
    for (const BufferId input : workload_.inputs(operation))
      if (workload_.buffer(input).producer.valid()) producers.push_back(workload_.buffer(input).producer);
    return producers;
  }

  /// How often the longest way to an operation comes to a device.
  int visits(OperationId operation, DeviceId device) {
    const auto key = std::pair(operation, device);
    if (const auto known = visits_.find(key); known != visits_.end()) return known->second;
    const bool here = plan_.device(operation) == device;
    int most = here ? 1 : 0;
    for (const OperationId producer : before(operation))
      most = std::max(most, visits(producer, device) + (here && plan_.device(producer) != device ? 1 : 0));
    return visits_[key] = most;
  }

  void form_calls() {
    int number = 0;
    std::map<std::pair<DeviceId, int>, int> known;
    for (const OperationId operation : workload_.topological_order()) {
      const DeviceId device = plan_.device(operation);
      if (machine_.kind(device).is_host) call_[operation] = number++;
      else if (const auto [entry, fresh] = known.try_emplace({device, visits(operation, device)}, number); fresh)
        call_[operation] = number++;
      else call_[operation] = entry->second;
    }
  }

  /// The first call that waits for nothing; else what the call with the first operation left can run.
  std::set<OperationId> next_call(const std::set<OperationId>& left) const {
    std::map<int, std::set<OperationId>> calls;
    for (const OperationId operation : left) calls[call_.at(operation)].insert(operation);
    for (const OperationId first : workload_.topological_order()) {
      if (!left.contains(first)) continue;
      const std::set<OperationId>& members = calls.at(call_.at(first));
      bool ready = true;
      for (const OperationId member : members)
        for (const OperationId producer : before(member))
          ready &= finish_.contains(producer) || members.contains(producer);
      if (ready) return members;
    }
    for (const OperationId operation : workload_.topological_order()) {
      if (!left.contains(operation)) continue;
      std::set<OperationId> can_run;
      for (const OperationId other : workload_.topological_order()) {
        if (!left.contains(other) || call_.at(other) != call_.at(operation)) continue;
        bool ready = true;
        for (const OperationId producer : before(other))
          ready &= finish_.contains(producer) || can_run.contains(producer);
        if (ready) can_run.insert(other);
      }
      return can_run;
    }
    return {};
  }

  void run(const std::set<OperationId>& members) {
    const DeviceId device = plan_.device(*members.begin());
    const bool host = machine_.kind(device).is_host;
    double start = host ? 0 : free_at_[device], busy = 0;
    std::set<BufferId> received;
    for (const OperationId member : members) {
      busy += seconds(member);
      for (const BufferId input : workload_.inputs(member)) {
        const OperationId producer = workload_.buffer(input).producer;
        if (!producer.valid() || members.contains(producer)) continue;
        start = std::max(start, finish_.at(producer));
        if (!host && received.insert(input).second) busy += moving(input, plan_.device(producer), device);
      }
      for (const BufferId output : workload_.outputs(member)) {
        double sending = 0;
        for (const OperationId reader : workload_.readers(output))
          if (!members.contains(reader)) sending = std::max(sending, moving(output, device, plan_.device(reader)));
        busy += host ? 0 : sending;
      }
    }
    for (const OperationId member : members) finish_[member] = start + busy;
    free_at_[device] = start + busy;
  }

  const Workload& workload_;
  const Machine& machine_;
  const Plan& plan_;
  OperationTimes times_;
  std::map<std::pair<OperationId, DeviceId>, int> visits_;
  std::map<OperationId, int> call_;
  std::map<OperationId, double> finish_;
  std::map<DeviceId, double> free_at_;
};

/// A random problem, some of whose devices are hosts.
Problem draw_problem(Rng& rng) {
  Workload workload = random_workload(rng, 1 + rng.below(20));
  Machine machine = random_machine(rng);
  for (DeviceKind& kind : machine.kinds) kind.is_host = rng.below(3) == 0;
  return {.workload = std::move(workload),
          .machine = std::move(machine),
          .objective = Objective::parse("throughput,latency")};
}

TEST(PlacementCostTest, AgreesWithTheRulesInLiteralForm) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Rng rng(seed);
    const Problem problem = draw_problem(rng);
    Plan plan = random_plan(rng, problem.workload, problem.machine);
    if (!plan.group_of.empty()) continue;
    try {
      ObjectiveCost judge(problem);
      const Cost cost = judge.evaluate(plan);
      if (cost.obstacle == Obstacle::device) continue;
      Literal literal(problem, plan);
      ASSERT_NEAR(cost.load_seconds, literal.largest_load(), 1e-9 * (1 + cost.load_seconds)) << "seed " << seed;
      ASSERT_NEAR(cost.latency_seconds, literal.latency(), 1e-9 * (1 + cost.latency_seconds)) << "seed " << seed;
      ASSERT_EQ(judge.fork()->evaluate(plan), cost);
      const Bounds bounds = lower_bounds(problem.workload, problem.machine, Fusion::none);
      ASSERT_LE(bounds.critical_path_seconds, cost.latency_seconds) << "seed " << seed;
      if (cost.overflow_bytes == 0) {
        ASSERT_LE(load_bound(problem), cost.load_seconds) << "seed " << seed;
      }
      ++compared;
    } catch (const InputError&) {
      continue;  // an operation that no device runs
    }
  }
  EXPECT_GT(compared, 300U);
}

TEST(PlacementCostTest, JoinsWhatSeveralMeasuresNeed) {
  Rng rng(3);
  Problem problem = draw_problem(rng);
  const Plan plan = undecided_plan(problem);
  const Cost placed = ObjectiveCost(problem).evaluate(plan);
  problem.objective = Objective::seconds;
  const Cost played = ObjectiveCost(problem).evaluate(plan);
  problem.objective = Objective::parse("seconds*0.5+throughput*0.5,latency");
  const Cost both = ObjectiveCost(problem).evaluate(plan);
  EXPECT_EQ(both.seconds, played.seconds);
  EXPECT_EQ(both.peak_bytes, played.peak_bytes);
  EXPECT_EQ(both.load_seconds, placed.load_seconds);
  EXPECT_EQ(both.latency_seconds, placed.latency_seconds);
}

}  // namespace
}  // namespace hone
