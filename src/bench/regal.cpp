
#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/text_file.h"
#include "base/thread_pool.h"
#include "base/version.h"
#include "bench/bench_run.h"
#include "bench/finished_rows.h"
#include "bench/graph_set.h"
#include "bench/problem_files.h"
#include "bench/regal_results.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "plan/machine/machine_file.h"
#include "run/measure/stopwatch.h"
#include "store/records/circumstances.h"

// A trained policy against the genetic algorithm it guides, on graphs it was not trained on. Three sets that share no
// family of the zoo and no synthetic topology, since those are split by hash (`train`, `valid`, `test`):
// - training, as the cards of the policies say: vgg, mobilenet, gpt2, llama, mamba, vit, ssd, transducer; `train`;
// - validation, by which parameters were chosen: squeezenet, inception, unet, nasnet, wavenet, rnnlm, gnmt, bert,
//   transformer-xl, graphnets, deeprank; `valid`;
// - test: what is below, `test`, and XLA modules where a folder of them is given.
// Large graphs have ten times the operations of the largest that was trained on. With --db searches that are done are
// kept, and a run that was killed goes on where it ended.

namespace hone {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kLonger = 20;  // times the evaluations show what can be reached
constexpr std::uint64_t kLongerSeed = 1000;

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

/// Run time is compared on the test graphs only.
void add(std::vector<RegalSetting>& settings, const std::vector<NamedGraph>& graphs, RegalOrigin origin,
         const BenchOptions& options) {
  for (const Objective& objective : {Objective::peak_bytes, Objective::seconds})
    for (const NamedGraph& graph : graphs) {
      if (graph.name.find(options.filter) == std::string::npos) continue;
      if (origin != RegalOrigin::test && objective != Objective::peak_bytes) continue;
      RegalSetting setting{.name = graph.name, .origin = origin, .record = graph_record(graph.workload)};
      setting.problem = {.workload = graph.workload, .machine = load_machine("regal-2"), .objective = objective};
      settings.push_back(std::move(setting));
    }
}

std::vector<RegalSetting> make_regal_settings(const BenchOptions& options) {
  std::vector<RegalSetting> settings;
  add(settings, options.quick ? load_graphs({"zoo:resnet18", "zoo:nasrnn:length=2"}) : test_graphs(), RegalOrigin::test,
      options);
  if (!options.quick)
    add(settings, load_graphs({"zoo:dalle-mini:layers=38,training=true", "zoo:nasrnn:length=100,training=true"}),
        RegalOrigin::large, options);
  if (!options.data.empty()) add(settings, modules_in(options.data), RegalOrigin::xla, options);
  if (settings.empty()) fail_usage("no graph of the case is called '{}'", options.filter);
  for (RegalSetting& setting : settings) setting.solver = std::make_unique<Solver>(setting.problem, "place+schedule");
  return settings;
}

/// One search to run.
struct RegalJob {
  std::size_t setting = 0, contender = 0, repeat = 0;
  std::uint64_t evaluations = 0, seed = 0;
  bool is_longer = false;  // only shows what can be reached
};

/// All searches, the longest first, so that no core is left with one at the end; those of one graph run side by side,
/// so that whatever else the machine does meets them alike.
std::vector<RegalJob> list_regal_jobs(std::span<const RegalSetting> settings, const RegalResults& results,
                                      const BenchOptions& options) {
  const std::uint64_t evaluations = options.quick ? 500 : 5000;
  const std::size_t regal = regal_contender("regal");
  std::vector<RegalJob> jobs;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    for (std::size_t repeat = 0; repeat < results.seeds(); ++repeat)
      for (std::size_t contender = 0; contender < regal_contenders().size(); ++contender)
        if (regal_contenders()[contender].takes_part(settings[i]))
          jobs.push_back({i, contender, repeat, evaluations, options.seed + repeat});
    if (settings[i].origin == RegalOrigin::test && settings[i].problem.objective == Objective::peak_bytes)
      jobs.push_back({.setting = i,
                      .contender = regal,
                      .evaluations = kLonger * evaluations,
                      .seed = options.seed + kLongerSeed,
                      .is_longer = true});
  }
  const auto length = [&](const RegalJob& job) {
    return job.evaluations * settings[job.setting].problem.workload.operation_count();
  };
  std::ranges::stable_sort(jobs, std::greater(), length);
  return jobs;
}

RegalOutcome solve_regal(const RegalSetting& setting, const RegalJob& job) {
  const Stopwatch stopwatch;
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(regal_contenders()[job.contender].optimizer);
  const Solution solution = setting.solver->solve(
      *optimizer, {.budget = {.evaluations = job.evaluations}, .seed = job.seed, .show_progress = false});
  return {solution.score.value, stopwatch.stop().cpu_seconds};
}

/// Carries out searches, one a core.
class RegalRun {
 public:
  RegalRun(std::span<const RegalSetting> settings, const BenchOptions& options)
      : settings_(settings),
        results_(settings.size(), options.quick ? 1 : 3),
        jobs_(list_regal_jobs(settings, results_, options)),
        finished_("regal", options.store) {}

  const RegalResults& results() const { return results_; }

  void run() {
    std::erase_if(jobs_, [&](const RegalJob& job) {
      const std::optional<ordered_json> known = finished_.find(request_of(job));
      if (known) take(job, {known->at("value"), known->at("cpu_seconds")});
      return known.has_value();
    });
    progress_.emplace(jobs_.size());
    ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
    pool.for_each(jobs_.size(), [&](std::size_t, std::size_t i) { run_one(jobs_[i]); });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// A pool must not see exceptions: the first one is kept for the caller.
  void run_one(const RegalJob& job) {
    try {
      const RegalOutcome outcome = solve_regal(settings_[job.setting], job);
      const std::lock_guard lock(mutex_);
      take(job, outcome);
      finished_.add(settings_[job.setting].record, request_of(job),
                    {{"value", outcome.value}, {"cpu_seconds", outcome.cpu_seconds}});
      show(job, outcome);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  ordered_json request_of(const RegalJob& job) const {
    const RegalSetting& setting = settings_[job.setting];
    return {{"graph", setting.record.id},
            {"machine", setting.problem.machine.name},
            {"objective", name_of(setting.problem.objective)},
            {"optimizer", regal_contenders()[job.contender].optimizer},
            {"evaluations", job.evaluations},
            {"seed", job.seed},
            {"commit", commit()}};
  }

  void take(const RegalJob& job, const RegalOutcome& outcome) {
    if (job.is_longer) results_.reach(job.setting, outcome.value);
    else results_.set(job.setting, job.contender, job.repeat, outcome);
  }

  void show(const RegalJob& job, const RegalOutcome& outcome) {
    ++done_;
    const RegalSetting& setting = settings_[job.setting];
    progress_->show(
        done_,
        fmt::format("{} of {} searches, {} with {}: {}, best {}", done_, jobs_.size(), setting.name,
                    regal_contenders()[job.contender].optimizer, value_text(setting.problem.objective, outcome.value),
                    value_text(setting.problem.objective, results_.best_known(job.setting))),
        fmt::format("{:.2f} % below brkga", improvement_so_far()));
    if (done_ == jobs_.size()) keep_progress();
  }

  double improvement_so_far() const {
    const std::size_t regal = regal_contender("regal");
    double sum = 0, count = 0;
    for (std::size_t setting = 0; setting < settings_.size(); ++setting)
      for (std::size_t repeat = 0; repeat < results_.seeds(); ++repeat)
        if (results_.has(setting, regal, repeat) && results_.has(setting, 0, repeat)) {
          sum += results_.improvement(setting, regal, repeat);
          ++count;
        }
    return sum / std::max(1.0, count);
  }

  std::span<const RegalSetting> settings_;
  RegalResults results_;
  std::vector<RegalJob> jobs_;
  FinishedRows finished_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t done_ = 0;
  std::optional<CountedProgress> progress_;
};

BenchReport run_regal(const BenchOptions& options) {
  const std::vector<RegalSetting> settings = make_regal_settings(options);
  RegalRun run(settings, options);
  run.run();
  return regal_report(settings, run.results());
}

const BenchRun regal_case("regal", run_regal);

}  // namespace
}  // namespace hone
