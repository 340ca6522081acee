#include <algorithm>

#include "base/error.h"
#include "base/progress.h"
#include "base/text_file.h"
#include "base/version.h"
#include "bench/bench_run.h"
#include "bench/graph_set.h"
#include "bench/job_list.h"
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

/// All searches; those of one graph one after another, so that whatever else the machine does meets them alike.
std::vector<RegalJob> list_regal_jobs(std::span<const RegalSetting> settings, const RegalResults& results,
                                      const BenchOptions& options) {
  const std::uint64_t evaluations = options.quick ? 500 : 5000;
  const std::size_t guided = regal_contender("guided");
  std::vector<RegalJob> jobs;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    for (std::size_t repeat = 0; repeat < results.seeds(); ++repeat)
      for (std::size_t contender = 0; contender < regal_contenders().size(); ++contender)
        if (regal_contenders()[contender].takes_part(settings[i]))
          jobs.push_back({i, contender, repeat, evaluations, options.seed + repeat});
    if (settings[i].origin == RegalOrigin::test && settings[i].problem.objective == Objective::peak_bytes)
      jobs.push_back({.setting = i,
                      .contender = guided,
                      .evaluations = kLonger * evaluations,
                      .seed = options.seed + kLongerSeed,
                      .is_longer = true});
  }
  return jobs;
}

ordered_json solve_regal(const RegalSetting& setting, const RegalJob& job) {
  const Stopwatch stopwatch;
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(regal_contenders()[job.contender].optimizer);
  const Solution solution = setting.solver->solve(
      *optimizer, {.budget = {.evaluations = job.evaluations}, .seed = job.seed, .show_progress = false});
  return {{"value", solution.score.value}, {"cpu_seconds", stopwatch.stop().cpu_seconds}};
}

/// All searches of the table, and what they came to.
class RegalRun {
 public:
  RegalRun(std::span<const RegalSetting> settings, const BenchOptions& options)
      : settings_(settings), results_(settings.size(), options.quick ? 1 : 3), options_(options) {}

  RegalResults run() && {
    std::vector<BenchJob> jobs;
    for (const RegalJob& job : list_regal_jobs(settings_, results_, options_))
      jobs.push_back({.graph = settings_[job.setting].record,
                      .request = request_of(job),
                      .length = static_cast<double>(job.evaluations) *
                                static_cast<double>(settings_[job.setting].problem.workload.operation_count()),
                      .run = [this, job] { return solve_regal(settings_[job.setting], job); },
                      .take = [this, job](const ordered_json& outcome) { take(job, outcome); },
                      .told = [this, job](const ordered_json& outcome) { return told(job, outcome.at("value")); },
                      .standing = [this] { return fmt::format("{:.2f} % below brkga", improvement_so_far()); }});
    run_jobs("regal", options_, std::move(jobs));
    return std::move(results_);
  }

 private:
  ordered_json request_of(const RegalJob& job) const {
    const RegalSetting& setting = settings_[job.setting];
    return {{"graph", setting.record.id},
            {"machine", setting.problem.machine.name},
            {"objective", name_of(setting.problem.objective)},
            {"optimizer", regal_contenders()[job.contender].optimizer},
            {"evaluations", job.evaluations},
            {"seed", job.seed},
            {"commit", commit()},
            {"computer", this_hardware().id}};
  }

  void take(const RegalJob& job, const ordered_json& outcome) {
    if (job.is_longer) results_.reach(job.setting, outcome.at("value"));
    else results_.set(job.setting, job.contender, job.repeat, {outcome.at("value"), outcome.at("cpu_seconds")});
  }

  std::string told(const RegalJob& job, double value) const {
    const RegalSetting& setting = settings_[job.setting];
    return fmt::format("{} with {}: {}, best {}", setting.name, regal_contenders()[job.contender].optimizer,
                       value_text(setting.problem.objective, value),
                       value_text(setting.problem.objective, results_.best_known(job.setting)));
  }

  double improvement_so_far() const {
    const std::size_t guided = regal_contender("guided");
    double sum = 0, count = 0;
    for (std::size_t setting = 0; setting < settings_.size(); ++setting)
      for (std::size_t repeat = 0; repeat < results_.seeds(); ++repeat)
        if (results_.has(setting, guided, repeat) && results_.has(setting, 0, repeat)) {
          sum += results_.improvement(setting, guided, repeat);
          ++count;
        }
    return sum / std::max(1.0, count);
  }

  std::span<const RegalSetting> settings_;
  RegalResults results_;
  const BenchOptions& options_;
};

BenchReport run_regal(const BenchOptions& options) {
  const std::vector<RegalSetting> settings = make_regal_settings(options);
  return regal_report(settings, RegalRun(settings, options).run());
}

const BenchRun regal_case("regal", run_regal);

}  // namespace
}  // namespace hone
