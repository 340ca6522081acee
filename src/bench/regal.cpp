#include <algorithm>
#include <cmath>
#include <thread>

#include "base/error.h"
#include "base/text_file.h"
#include "base/thread_pool.h"
#include "bench/bench_case.h"
#include "bench/graph_set.h"
#include "bench/problem_files.h"
#include "core/optimizer.h"
#include "evaluate/objective_cost.h"
#include "hlo/read.h"
#include "hlo/workload.h"
#include "machine/machine_file.h"

// A trained policy against the genetic algorithm it guides, on graphs it was not trained on: whole families of the zoo
// that training never sees, the synthetic test split, larger graphs, and XLA modules where a folder of them is given.

namespace hone {
namespace {

using nlohmann::ordered_json;

const std::vector<std::string> kOptimizers = {
    "brkga",          "regal",          "regal:policy=untrained", "regal:seeds=0", "regal:mutants=0",
    "regal:pull=0.2", "regal:refine=0", "brkga:until=0.6+local",  "local",         "random"};
constexpr std::size_t kBrkga = 0, kRegal = 1;

/// Where a graph comes from decides which figure it counts for.
enum class Origin { test, large, xla };

struct Setting {
  std::string name;
  Origin origin = Origin::test;
  Problem problem;
  std::unique_ptr<Task> task;
  double best_known = 0;
};

struct Outcome {
  double value = 0, seconds = 0;
};

std::vector<NamedGraph> test_graphs() {
  return load_graphs({"zoo:squeezenet", "zoo:inception-v3", "zoo:unet", "zoo:nasnet-a:cells=1", "zoo:wavenet:layers=6",
                      "zoo:rnnlm:length=8", "zoo:gnmt:length=6", "zoo:bert:layers=3", "zoo:transformer-xl:layers=2",
                      "zoo:graphnets", "zoo:deeprank:training=true",
                      "synthetic:family=mixed,nodes=50-300,count=60,seed=11,split=test"});
}

std::vector<NamedGraph> modules_in(const std::filesystem::path& folder) {
  std::vector<NamedGraph> graphs;
  for (const std::filesystem::path& path : module_files(folder))
    graphs.push_back(
        {path.filename().string(), hlo::to_workload(hlo::read_loaded(read_text_file(path), path.string()))});
  return graphs;
}

void add(std::vector<Setting>& settings, std::vector<NamedGraph> graphs, Origin origin, const BenchOptions& options) {
  for (const Objective& objective : {Objective::peak_bytes, Objective::seconds})
    for (const NamedGraph& graph : graphs) {
      if (graph.name.find(options.filter) == std::string::npos) continue;
      if (origin != Origin::test && objective != Objective::peak_bytes) continue;
      Setting setting{.name = graph.name, .origin = origin};
      setting.problem = {.workload = graph.workload, .machine = load_machine("regal-2"), .objective = objective};
      settings.push_back(std::move(setting));
    }
}

std::vector<Setting> make_settings(const BenchOptions& options) {
  std::vector<Setting> settings;
  add(settings, options.quick ? load_graphs({"zoo:squeezenet", "zoo:unet"}) : test_graphs(), Origin::test, options);
  if (!options.quick)
    add(settings, load_graphs({"synthetic:family=mixed,nodes=20000-22000,count=6,seed=13,split=test"}), Origin::large,
        options);
  if (!options.data.empty()) add(settings, modules_in(options.data), Origin::xla, options);
  if (settings.empty()) fail_usage("no graph of the case is called '{}'", options.filter);
  for (Setting& setting : settings) setting.task = make_task(setting.problem, "place+schedule");
  return settings;
}

Outcome solve(const Setting& setting, const std::string& optimizer, std::uint64_t evaluations, std::uint64_t seed) {
  Search search(setting.problem, *setting.task, ObjectiveCost(setting.problem), undecided_plan(setting.problem),
                {.budget = {.evaluations = evaluations}, .seed = seed, .show_progress = false});
  make_optimizer(optimizer)->run(search);
  const Solution solution = search.finish();
  return {solution.score.value, solution.seconds};
}

/// What was found by setting, optimiser and seed.
class Results {
 public:
  Results(std::size_t settings, std::size_t seeds) : seeds_(seeds), outcomes_(settings * kOptimizers.size() * seeds) {}

  std::size_t count() const { return outcomes_.size(); }
  Outcome& at(std::size_t i) { return outcomes_[i]; }
  std::size_t setting(std::size_t i) const { return i / seeds_ / kOptimizers.size(); }
  std::size_t optimizer(std::size_t i) const { return i / seeds_ % kOptimizers.size(); }
  std::size_t seed(std::size_t i) const { return i % seeds_; }
  std::size_t seeds() const { return seeds_; }
  const Outcome& of(std::size_t setting, std::size_t optimizer, std::size_t seed) const {
    return outcomes_[(setting * kOptimizers.size() + optimizer) * seeds_ + seed];
  }
  /// How much less than the plain genetic algorithm an optimiser comes to, mean over seeds.
  double improvement(std::size_t setting, std::size_t optimizer) const {
    double ours = 0, theirs = 0;
    for (std::size_t seed = 0; seed < seeds_; ++seed) {
      ours += of(setting, optimizer, seed).value;
      theirs += of(setting, kBrkga, seed).value;
    }
    return 100 * (1 - ours / theirs);
  }

 private:
  std::size_t seeds_;
  std::vector<Outcome> outcomes_;
};

/// Mean over settings that count, and its spread over seeds.
template <class Counts>
ordered_json improvement_over(const std::vector<Setting>& settings, const Results& results, Counts counts) {
  std::vector<double> by_seed(results.seeds());
  std::size_t count = 0;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!counts(settings[i])) continue;
    ++count;
    for (std::size_t seed = 0; seed < by_seed.size(); ++seed)
      by_seed[seed] += 100 * (1 - results.of(i, kRegal, seed).value / results.of(i, kBrkga, seed).value);
  }
  if (count == 0) return nullptr;
  double mean = 0, least = 1e300, most = -1e300;
  for (double& each : by_seed) {
    each /= static_cast<double>(count);
    mean += each / static_cast<double>(by_seed.size());
    least = std::min(least, each);
    most = std::max(most, each);
  }
  return {{"mean", mean}, {"least", least}, {"most", most}};
}

ordered_json summary_of(const std::vector<Setting>& settings, const Results& results) {
  double captured = 0, wins = 0, count = 0, regal_seconds = 0, brkga_seconds = 0;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const Setting& setting = settings[i];
    if (setting.origin != Origin::test || setting.problem.objective != Objective::peak_bytes) continue;
    ++count;
    wins += results.improvement(i, kRegal) > 1e-6 ? 1 : 0;
    double ours = 0, theirs = 0;
    for (std::size_t seed = 0; seed < results.seeds(); ++seed) {
      ours += results.of(i, kRegal, seed).value;
      theirs += results.of(i, kBrkga, seed).value;
      regal_seconds += results.of(i, kRegal, seed).seconds;
      brkga_seconds += results.of(i, kBrkga, seed).seconds;
    }
    const double headroom = theirs - setting.best_known * static_cast<double>(results.seeds());
    captured += headroom > 1e-9 * theirs ? (theirs - ours) / headroom : 1;
  }
  const auto is = [](Origin origin, const Objective& objective) {
    return [=](const Setting& setting) { return setting.origin == origin && setting.problem.objective == objective; };
  };
  const double graphs = std::max(1.0, count);
  return {{"improvement_percent", improvement_over(settings, results, is(Origin::test, Objective::peak_bytes))},
          {"headroom_captured", captured / graphs},
          {"win_percent", 100 * wins / graphs},
          {"xla_improvement_percent", improvement_over(settings, results, is(Origin::xla, Objective::peak_bytes))},
          {"large_improvement_percent", improvement_over(settings, results, is(Origin::large, Objective::peak_bytes))},
          {"runtime_improvement_percent", improvement_over(settings, results, is(Origin::test, Objective::seconds))},
          {"overhead_percent", 100 * (regal_seconds / std::max(brkga_seconds, 1e-9) - 1)}};
}

BenchReport run_regal(const BenchOptions& options) {
  std::vector<Setting> settings = make_settings(options);
  const std::uint64_t evaluations = options.quick ? 500 : 5000;
  Results results(settings.size(), options.quick ? 1 : 3);
  ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
  pool.for_each(results.count(), [&](std::size_t, std::size_t i) {
    const bool is_short = settings[results.setting(i)].origin != Origin::test && results.optimizer(i) > kRegal;
    if (is_short) return;  // of large graphs only what is compared
    results.at(i) = solve(settings[results.setting(i)], kOptimizers[results.optimizer(i)], evaluations,
                          options.seed + results.seed(i));
  });
  // What can be reached: the best of all above, and a longer search from there.
  pool.for_each(settings.size(), [&](std::size_t, std::size_t i) {
    double& best = settings[i].best_known = 1e300;
    for (std::size_t optimizer = 0; optimizer < kOptimizers.size(); ++optimizer)
      for (std::size_t seed = 0; seed < results.seeds(); ++seed)
        if (const double value = results.of(i, optimizer, seed).value; value > 0) best = std::min(best, value);
    if (settings[i].origin == Origin::test)
      best = std::min(best, solve(settings[i], "regal", 10 * evaluations, 1000).value);
  });
  BenchReport report;
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t optimizer = 0; optimizer < kOptimizers.size(); ++optimizer)
      if (settings[i].origin == Origin::test || optimizer <= kRegal)
        report.rows.push_back(
            {{"graph", settings[i].name},
             {"works", settings[i].problem.workload.work_count()},
             {"objective", name_of(settings[i].problem.objective)},
             {"optimizer", kOptimizers[optimizer]},
             {"improvement_percent", results.improvement(i, optimizer)},
             {"gap_percent", 100 * (results.of(i, optimizer, 0).value / settings[i].best_known - 1)}});
  report.summary = summary_of(settings, results);
  return report;
}

const BenchCase regal("regal", "A trained policy against the genetic algorithm it guides, on graphs it has not seen",
                      run_regal);

}  // namespace
}  // namespace hone
