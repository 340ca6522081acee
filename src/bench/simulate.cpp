#include <algorithm>
#include <barrier>
#include <thread>

#include "base/allocation_count.h"
#include "base/error.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/random_problem.h"
#include "bench/simulation_oracle.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

constexpr const char* kSimulatedMachine = "p100-8";

/// Every operation on a device of its own choice, in an order of its own choice: the hardest to simulate, as nearly
/// every tensor has to move.
Plan scattered_plan(const Workload& workload, const Machine& machine, Rng& rng) {
  Plan plan;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    plan.device_of.emplace_back(rng.below(machine.device_count()));
    plan.priority.push_back(static_cast<float>(rng.uniform()));
  }
  return plan;
}

struct Speed {
  double seconds = 0;  // of the fastest evaluation
  std::uint64_t allocations = 0;
};

/// Evaluates several plans in turn, several times.
Speed measure_speed(Simulator& simulator, const std::vector<Plan>& plans, int repeats) {
  Speed speed{.seconds = 1e9};
  for (const Plan& plan : plans) simulator.evaluate(plan);
  const std::uint64_t before = allocation_count();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const Plan& plan : plans) {
      const Timer timer;
      simulator.evaluate(plan);
      speed.seconds = std::min(speed.seconds, timer.seconds());
    }
  }
  speed.allocations = allocation_count() - before;
  return speed;
}

/// Evaluations a second of two threads over those of one, each with a simulator of its own: the median of many pairs of
/// one evaluation alone and two at once, so short that whatever else the machine does strikes both of a pair or few.
double thread_ratio(const std::shared_ptr<const SimulatorTables>& tables, const Plan& plan, std::size_t pairs) {
  std::vector<Simulator> simulators(2, Simulator(tables));
  const auto seconds = [&](std::size_t thread) {
    const Timer timer;
    simulators[thread].evaluate(plan);
    return timer.seconds();
  };
  std::vector<double> ratios;
  double other = 0;
  std::barrier meet(2);
  std::jthread second([&] {
    for (std::size_t i = 0; i < pairs; ++i) {
      meet.arrive_and_wait();
      other = seconds(1);
      meet.arrive_and_wait();
    }
  });
  for (std::size_t i = 0; i < pairs; ++i) {
    const double alone = seconds(0);
    meet.arrive_and_wait();
    const double mine = seconds(0);
    meet.arrive_and_wait();
    ratios.push_back(2 * alone / std::max(mine, other));
  }
  std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(pairs / 2));
  return ratios[pairs / 2];
}

/// Evaluations of plans with groups and copies, each of which is spread over tables of its own.
Speed measure_fused_speed(const Machine& machine, std::uint64_t seed) {
  constexpr std::size_t kOperations = 20'000;
  Rng rng(seed);
  const Workload workload = layered_training_workload(kOperations, seed);
  Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
  std::vector<Plan> plans;
  for (int i = 0; i < 2; ++i) plans.push_back(random_fused_plan(rng, workload, machine));
  return measure_speed(simulator, plans, 20);
}

double oracle_ratio(const Machine& machine, Rng& rng) {
  const Workload workload = layered_training_workload(300, rng.next());
  const Plan plan = scattered_plan(workload, machine, rng);
  Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
  const Timer timer;
  const Timeline slow = simulate_slowly(workload, machine, plan);
  const double slow_seconds = timer.seconds();
  if (simulator.evaluate(plan) != slow.cost) throw InputError("simulator and oracle differ", ExitCode::internal_error);
  return slow_seconds / measure_speed(simulator, {plan}, 20).seconds;
}

/// Random problems on which simulator and oracle agree to the last bit.
std::size_t count_equal(std::size_t triples, Rng& rng) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < triples; ++i) {
    const Workload workload = random_workload(rng, 1 + rng.below(24));
    const Machine machine = random_machine(rng);
    const Plan plan = random_plan(rng, workload, machine);
    try {
      Timeline expected = simulate_slowly(workload, machine, plan);
      Timeline timeline = Simulator(std::make_shared<SimulatorTables>(workload, machine)).trace(plan);
      if (expected.cost.obstacle == Obstacle::device) timeline.levels.clear(), expected.levels.clear();
      equal += timeline == expected ? 1 : 0;
    } catch (const InputError&) {
      ++equal;  // both refuse an operation that no device can run
    }
  }
  return equal;
}

BenchReport run_simulate(const BenchOptions& options) {
  Rng rng(options.seed);
  const Machine machine = load_machine(kSimulatedMachine);
  BenchReport report;
  std::uint64_t allocations = 0;
  nlohmann::ordered_json by_size;
  double ms_10k = 0, ms_80k = 0, threads = 0;
  const std::vector<std::size_t> sizes = options.quick ? std::vector<std::size_t>{1000, 10'000}
                                                       : std::vector<std::size_t>{1000, 10'000, 80'000, 1'000'000};
  for (const std::size_t size : sizes) {
    const Workload workload = layered_training_workload(size, options.seed);
    const auto tables = std::make_shared<const SimulatorTables>(workload, machine);
    Simulator simulator(tables);
    const std::vector<Plan> plans = {scattered_plan(workload, machine, rng), scattered_plan(workload, machine, rng)};
    const Speed speed = measure_speed(simulator, plans, size > 100'000 ? 2 : 20);
    const double ns_per_node = speed.seconds * 1e9 / static_cast<double>(size);
    report.rows.push_back({{"nodes", size}, {"ms", speed.seconds * 1e3}, {"ns_per_node", ns_per_node}});
    by_size[std::to_string(size)] = ns_per_node;
    allocations += speed.allocations;
    if (size == 10'000) ms_10k = speed.seconds * 1e3;
    if (size == 80'000) ms_80k = speed.seconds * 1e3;
    if (size == (options.quick ? 10'000U : 80'000U)) threads = thread_ratio(tables, plans[0], options.quick ? 50 : 400);
  }
  const Speed fused = measure_fused_speed(machine, options.seed);
  allocations += fused.allocations;
  const std::size_t triples = options.quick ? 1000 : 100'000;
  report.summary = {{"ms_80k", ms_80k},
                    {"ms_10k", ms_10k},
                    {"ms_20k_fused", fused.seconds * 1e3},
                    {"allocations", allocations},
                    {"oracle_ratio", oracle_ratio(machine, rng)},
                    {"thread_ratio", threads},
                    {"ns_per_node", by_size},
                    {"triples", triples},
                    {"triples_equal", count_equal(triples, rng)}};
  return report;
}

const BenchRun simulate("simulate", run_simulate);

}  // namespace
}  // namespace hone
