#include <algorithm>
#include <limits>
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

// A trained policy against the genetic algorithm it guides, on graphs it was not trained on. Three sets that share no
// family of the zoo and no synthetic topology, since those are split by hash (`train`, `valid`, `test`):
// - training, as the cards of the policies say: vgg, mobilenet, gpt2, llama, mamba, vit, ssd, transducer; `train`;
// - validation, by which parameters were chosen: squeezenet, inception, unet, nasnet, wavenet, rnnlm, gnmt, bert,
//   transformer-xl, graphnets, deeprank; `valid`;
// - test: what is below, `test`, and XLA modules where a folder of them is given.
// Large graphs have ten times the works of the largest that was trained on.

namespace hone {
namespace {

using nlohmann::ordered_json;

/// A search in the table, and what it is there for.
struct Contender {
  std::string optimizer, role;
};

const std::vector<Contender> kContenders = {
    {"brkga", "tuned genetic algorithm"},
    {"regal", "all of it"},
    {"regal:policy=untrained", "a policy that has learned nothing"},
    {"local", "local search"},
    {"random", "random plans"},
    {"regal:policy=regal-memory-flat", "without message passing"},
    {"regal:independent=1", "plans drawn gene by gene, not step by step"},
    {"regal:genetic=1,seeds=0,mutants=40", "policy for mutants only"},
    {"regal:genetic=1", "policy for the first population and mutants, no moves"},
    {"regal:seeds=0,mutants=0", "policy for moves only"},
    {"regal:offers=1", "policy without a say in moves"},
    {"regal:seeds=0,mutants=0,offers=1", "the same search without any policy"},
    {"brkga:until=0.3+local", "genetic algorithm, then local search"},
};
constexpr std::size_t kBrkga = 0, kRegal = 1, kWithoutPolicy = 11;
constexpr std::size_t kTimed = 5;      // the first ones are compared in run time, too
constexpr std::uint64_t kLonger = 20;  // times the evaluations show what can be reached

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
  return load_graphs({"zoo:amoebanet-d:cells=1", "zoo:dalle-mini:layers=2", "zoo:dalle-mini:layers=1,training=true",
                      "zoo:mnasnet", "zoo:resnet18", "zoo:nasrnn:length=5", "zoo:nasrnn:length=2,training=true",
                      "zoo:resnet18:training=true", "zoo:resnet50", "zoo:resnext50",
                      "synthetic:family=mixed,nodes=50-300,count=100,seed=41,split=test"});
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
  add(settings, options.quick ? load_graphs({"zoo:resnet18", "zoo:nasrnn:length=2"}) : test_graphs(), Origin::test,
      options);
  if (!options.quick)
    add(settings, load_graphs({"zoo:dalle-mini:layers=38,training=true", "zoo:nasrnn:length=100,training=true"}),
        Origin::large, options);
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
  Results(std::size_t settings, std::size_t seeds) : seeds_(seeds), outcomes_(settings * kContenders.size() * seeds) {}

  std::size_t count() const { return outcomes_.size(); }
  Outcome& at(std::size_t i) { return outcomes_[i]; }
  std::size_t setting(std::size_t i) const { return i / seeds_ / kContenders.size(); }
  std::size_t optimizer(std::size_t i) const { return i / seeds_ % kContenders.size(); }
  std::size_t seed(std::size_t i) const { return i % seeds_; }
  std::size_t seeds() const { return seeds_; }
  const Outcome& of(std::size_t setting, std::size_t optimizer, std::size_t seed) const {
    return outcomes_[(setting * kContenders.size() + optimizer) * seeds_ + seed];
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

/// A figure for every seed, as one with its spread.
ordered_json spread_of(const std::vector<double>& by_seed) {
  double sum = 0;
  for (const double each : by_seed) sum += each;
  const auto [least, most] = std::ranges::minmax(by_seed);
  return {{"mean", sum / static_cast<double>(by_seed.size())}, {"least", least}, {"most", most}};
}

/// The figures of the settings of one origin and objective.
class Figures {
 public:
  Figures(const std::vector<Setting>& settings, const Results& results, Origin origin, const Objective& objective)
      : settings_(settings), results_(results) {
    for (std::size_t i = 0; i < settings.size(); ++i)
      if (settings[i].origin == origin && settings[i].problem.objective == objective) counted_.push_back(i);
  }

  /// How much less than the genetic algorithm it comes to, mean over graphs.
  ordered_json improvement() const {
    return by_seed([&](std::size_t seed) { return mean_gain(seed, kRegal); });
  }

  /// The same as a share of how much less the best known plans are.
  ordered_json captured() const {
    return by_seed([&](std::size_t seed) {
      double room = 0;
      for (const std::size_t i : counted_)
        room += 100 * (1 - settings_[i].best_known / results_.of(i, kBrkga, seed).value) / count();
      return room > 1e-9 ? mean_gain(seed, kRegal) / room : 1;
    });
  }

  /// Graphs on which it is better than the genetic algorithm: by means over seeds, and seed by seed.
  ordered_json wins() const {
    constexpr double kSame = 1e-6;
    ordered_json wins = by_seed([&](std::size_t seed) {
      double better = 0;
      for (const std::size_t i : counted_)
        better += results_.of(i, kRegal, seed).value < results_.of(i, kBrkga, seed).value * (1 - kSame) ? 1 : 0;
      return 100 * better / count();
    });
    double better = 0;
    for (const std::size_t i : counted_) better += results_.improvement(i, kRegal) > 100 * kSame ? 1 : 0;
    if (!wins.is_null()) wins["mean"] = 100 * better / count();
    return wins;
  }

  /// How much longer it takes than another search.
  ordered_json overhead(std::size_t other) const {
    return by_seed([&](std::size_t seed) {
      double ours = 0, theirs = 1e-9;
      for (const std::size_t i : counted_) {
        ours += results_.of(i, kRegal, seed).seconds;
        theirs += results_.of(i, other, seed).seconds;
      }
      return 100 * (ours / theirs - 1);
    });
  }

 private:
  double count() const { return static_cast<double>(counted_.size()); }

  double mean_gain(std::size_t seed, std::size_t contender) const {
    double sum = 0;
    for (const std::size_t i : counted_)
      sum += 100 * (1 - results_.of(i, contender, seed).value / results_.of(i, kBrkga, seed).value);
    return sum / count();
  }

  template <class Figure>
  ordered_json by_seed(Figure figure) const {
    if (counted_.empty()) return nullptr;
    std::vector<double> values;
    for (std::size_t seed = 0; seed < results_.seeds(); ++seed) values.push_back(figure(seed));
    return spread_of(values);
  }

  const std::vector<Setting>& settings_;
  const Results& results_;
  std::vector<std::size_t> counted_;
};

ordered_json summary_of(const std::vector<Setting>& settings, const Results& results) {
  const auto figures = [&](Origin origin, const Objective& objective) {
    return Figures(settings, results, origin, objective);
  };
  const Figures test = figures(Origin::test, Objective::peak_bytes);
  return {{"improvement_percent", test.improvement()},
          {"headroom_captured", test.captured()},
          {"win_percent", test.wins()},
          {"xla_improvement_percent", figures(Origin::xla, Objective::peak_bytes).improvement()},
          {"large_improvement_percent", figures(Origin::large, Objective::peak_bytes).improvement()},
          {"runtime_improvement_percent", figures(Origin::test, Objective::seconds).improvement()},
          {"overhead_percent", test.overhead(kBrkga)},
          {"policy_share_percent", test.overhead(kWithoutPolicy)}};
}

/// Whether a contender runs on a setting: all where the policy is judged, two on graphs that take long.
bool takes_part(const Setting& setting, std::size_t contender) {
  if (setting.origin != Origin::test) return contender <= kRegal;
  return setting.problem.objective == Objective::peak_bytes || contender < kTimed;
}

/// The best that any search has found; of peak memory also what a much longer one finds.
double best_known(const Setting& setting, std::size_t index, const Results& results, std::uint64_t evaluations) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t contender = 0; contender < kContenders.size(); ++contender)
    for (std::size_t seed = 0; takes_part(setting, contender) && seed < results.seeds(); ++seed)
      best = std::min(best, results.of(index, contender, seed).value);
  if (setting.origin == Origin::test && setting.problem.objective == Objective::peak_bytes)
    for (const std::size_t contender : {kRegal, kBrkga})
      best = std::min(best, solve(setting, kContenders[contender].optimizer, evaluations, 1000).value);
  return best;
}

BenchReport report_of(const std::vector<Setting>& settings, const Results& results) {
  BenchReport report;
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t contender = 0; contender < kContenders.size(); ++contender)
      if (takes_part(settings[i], contender))
        report.rows.push_back(
            {{"graph", settings[i].name},
             {"works", settings[i].problem.workload.work_count()},
             {"objective", name_of(settings[i].problem.objective)},
             {"optimizer", kContenders[contender].optimizer},
             {"role", kContenders[contender].role},
             {"improvement_percent", results.improvement(i, contender)},
             {"gap_percent", 100 * (results.of(i, contender, 0).value / settings[i].best_known - 1)}});
  report.summary = summary_of(settings, results);
  return report;
}

BenchReport run_regal(const BenchOptions& options) {
  std::vector<Setting> settings = make_settings(options);
  const std::uint64_t evaluations = options.quick ? 500 : 5000;
  Results results(settings.size(), options.quick ? 1 : 3);
  ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
  pool.for_each(results.count(), [&](std::size_t, std::size_t reversed) {
    const std::size_t i = results.count() - 1 - reversed;  // the largest graphs first
    const Setting& setting = settings[results.setting(i)];
    if (!takes_part(setting, results.optimizer(i))) return;
    results.at(i) =
        solve(setting, kContenders[results.optimizer(i)].optimizer, evaluations, options.seed + results.seed(i));
  });
  pool.for_each(settings.size(), [&](std::size_t, std::size_t i) {
    settings[i].best_known = best_known(settings[i], i, results, kLonger * evaluations);
  });
  return report_of(settings, results);
}

const BenchCase regal("regal", "A trained policy against the genetic algorithm it guides, on graphs it has not seen",
                      run_regal);

}  // namespace
}  // namespace hone
