#include <numeric>

#include "base/error.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/brkga_oracle.h"
#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/plain_cost.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

constexpr const char* kBrkgaMachine = "regal-2";
constexpr const char* kTasks = "place+schedule";

/// The cheapest thing to evaluate: what is left is the cost of the genetic algorithm itself.
class SumOfKeys final : public Evaluator {
 public:
  Cost evaluate(const Plan& plan) override {
    return {.seconds = 1 + std::reduce(plan.priority.begin(), plan.priority.end())};
  }
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<SumOfKeys>(); }
};

struct Run {
  Solution solution;
  double seconds = 0;
  double evaluations_per_second() const { return static_cast<double>(solution.evaluations) / seconds; }
};

/// A problem with all that running the genetic algorithm on it takes.
struct BrkgaInstance {
  BrkgaInstance(std::size_t operations, const char* tasks)
      : problem{.workload = layered_training_workload(operations, 1), .machine = load_machine(kBrkgaMachine)},
        task(make_task(problem, tasks)) {}

  Run run(const Evaluator& evaluator, std::uint64_t evaluations, std::uint64_t seed, std::size_t threads) const {
    const Timer timer;
    Search search(problem, *task, evaluator, undecided_plan(problem),
                  {.budget = {.evaluations = evaluations}, .seed = seed, .threads = threads});
    Brkga(BrkgaParameters{}).run(search);
    Run run{.solution = search.finish()};
    run.seconds = timer.seconds();
    return run;
  }

  Problem problem;
  std::unique_ptr<Task> task;
};

/// Evaluations a second of the straightforward algorithm, of which a small generation is enough to see its speed.
double slow_rate(const BrkgaInstance& instance, Evaluator& evaluator, std::uint64_t seed) {
  const Timer timer;
  const SlowSolution slow = brkga_slowly(instance.problem, *instance.task, evaluator,
                                         BrkgaParameters{.population = 4, .parents = 2, .elite_parents = 1}, seed, 1);
  return static_cast<double>(slow.evaluations) / timer.seconds();
}

void require_same(const Run& one, const Run& two) {
  if (one.solution.plan != two.solution.plan)
    throw InputError("one and two threads found different plans", ExitCode::internal_error);
}

/// Genes a second that are made, decoded and summed up, by one thread.
double genes_per_second(std::size_t genes, std::uint64_t seed) {
  const BrkgaInstance instance(genes, "schedule");
  const Run run = instance.run(SumOfKeys(), 20'000'000 / genes + 200, seed, 1);
  return run.evaluations_per_second() * static_cast<double>(genes);
}

BenchReport run_brkga(const BenchOptions& options) {
  const BrkgaInstance small(1000, kTasks), large(options.quick ? 2000 : 10'000, kTasks);
  const SimulatedCost small_cost(small.problem), large_cost(large.problem);
  const Run two = small.run(small_cost, 5000, options.seed, 2);
  require_same(small.run(small_cost, 5000, options.seed, 1), two);
  const std::uint64_t evaluations = options.quick ? 200 : 1000;
  const Run large_one = large.run(large_cost, evaluations, options.seed, 1);
  const Run large_two = large.run(large_cost, evaluations, options.seed, 2);
  require_same(large_one, large_two);
  PlainCost oracle(large.problem);
  SimulatedCost same_simulator(large.problem);
  const double oracle_rate = slow_rate(large, oracle, options.seed);
  const double plain_rate = slow_rate(large, same_simulator, options.seed);

  BenchReport report;
  const auto row = [&](const char* what, double rate) {
    report.rows.push_back({{"run", what}, {"evaluations_per_second", rate}});
  };
  row("10,000 operations, two threads", large_two.evaluations_per_second());
  row("10,000 operations, one thread", large_one.evaluations_per_second());
  row("10,000 operations, straightforward algorithm, same simulator", plain_rate);
  row("10,000 operations, straightforward algorithm, straightforward simulator", oracle_rate);
  row("1,000 operations, two threads", two.evaluations_per_second());
  report.summary = {{"oracle_ratio", large_two.evaluations_per_second() / oracle_rate},
                    {"same_simulator_ratio", large_two.evaluations_per_second() / plain_rate},
                    {"thread_ratio", large_one.seconds / large_two.seconds},
                    {"seconds_5k_1000", two.seconds},
                    {"mgenes_per_second",
                     {{"1000", genes_per_second(1000, options.seed) * 1e-6},
                      {"10000", genes_per_second(10'000, options.seed) * 1e-6}}}};
  return report;
}

const BenchRun brkga("brkga", run_brkga);

}  // namespace
}  // namespace hone
