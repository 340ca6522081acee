#include "bench/comparison.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/thread_pool.h"
#include "bench/graph_set.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/objective_cost.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

using nlohmann::ordered_json;

/// Values that differ by less are the same: sums of the same seconds in another order.
constexpr double kSame = 1e-8;

/// A graph with an objective, and everything known about it.
struct Setting {
  std::string graph, objective;
  Problem problem;
  std::string tasks;
  double bound = 0;
  Score best_known;
  bool proved = false;  // that nothing is better than the best known
};

/// One search to run, and what came of it.
struct Job {
  std::size_t setting = 0;
  std::string optimizer;
  std::uint64_t evaluations = 0, seed = 0;
  bool counts = true;  // false: only shows what can be reached
  Score score;
  bool optimal = false;
  double seconds = 0;
};

Setting make_setting(const NamedGraph& graph, const std::string& objective, const Comparison& comparison) {
  Setting setting{.graph = graph.name, .objective = objective};
  setting.problem = {
      .workload = graph.workload, .machine = load_machine(comparison.machine), .objective = parse_objective(objective)};
  setting.tasks = comparison.tasks;
  const Bounds bounds = lower_bounds(setting.problem.workload, setting.problem.machine, Fusion::none);
  setting.bound = objective_bound(setting.problem, bounds);
  const Cost before = evaluator_for(setting.problem)->evaluate(undecided_plan(setting.problem));
  setting.best_known = score(setting.problem.objective, before);
  return setting;
}

std::vector<Job> list_jobs(const std::vector<Setting>& settings, const Comparison& comparison) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (settings[i].problem.workload.operation_count() <= comparison.exact_operations)
      jobs.push_back(
          {.setting = i, .optimizer = comparison.exact, .evaluations = comparison.exact_evaluations, .counts = false});
    for (const std::string& optimizer : comparison.one_pass) jobs.push_back({i, optimizer, comparison.evaluations});
    for (const std::string& optimizer : comparison.searches) {
      for (std::uint64_t seed = 0; seed < comparison.seeds; ++seed)
        jobs.push_back({i, optimizer, comparison.evaluations, seed});
      const std::uint64_t share = comparison.best_known_evaluations / comparison.searches.size();
      if (share > comparison.evaluations)
        jobs.push_back({.setting = i, .optimizer = optimizer, .evaluations = share, .seed = 1000, .counts = false});
    }
  }
  // The longest first, so that no core is left with one at the end.
  const auto length = [&](const Job& job) {
    return static_cast<double>(job.evaluations) *
           static_cast<double>(settings[job.setting].problem.workload.operation_count());
  };
  std::ranges::stable_sort(jobs, std::greater(), length);
  return jobs;
}

void run_job(const Setting& setting, Job& job) {
  const Solution solution = solve(
      setting.problem, setting.tasks, job.optimizer,
      {.budget = {.evaluations = job.evaluations}, .seed = job.seed, .bound = setting.bound, .show_progress = false});
  job.score = solution.score;
  job.optimal = solution.optimal();
  job.seconds = solution.seconds;
}

void run_jobs(const std::vector<Setting>& settings, std::vector<Job>& jobs) {
  std::atomic<std::size_t> done = 0;
  const CountedProgress progress(jobs.size());
  ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
  pool.for_each(jobs.size(), [&](std::size_t, std::size_t i) {
    run_job(settings[jobs[i].setting], jobs[i]);
    const std::size_t count = ++done;
    progress.show(count, fmt::format("{} of {} searches", count, jobs.size()));
  });
  keep_progress();
}

/// The scores of one optimiser on one setting over the seeds.
struct Outcome {
  std::vector<Score> scores;
  double seconds = 0;
  const Score& median() const { return scores[scores.size() / 2]; }
};
using Outcomes = std::map<std::pair<std::size_t, std::string>, Outcome>;  // by setting and optimiser

Outcomes gather(const std::vector<Job>& jobs) {
  Outcomes outcomes;
  for (const Job& job : jobs) {
    if (!job.counts) continue;
    Outcome& outcome = outcomes[{job.setting, job.optimizer}];
    outcome.scores.push_back(job.score);
    outcome.seconds += job.seconds;
  }
  for (auto& [key, outcome] : outcomes) std::ranges::sort(outcome.scores);
  return outcomes;
}

bool reaches(const Score& score, const Score& other) {
  return score.excess <= other.excess && score.value <= other.value * (1 + kSame);
}

double gap_percent(const Score& score, const Setting& setting) {
  return 100 * (score.value / setting.best_known.value - 1);
}

/// What all rows together say.
class Summary {
 public:
  Summary(const Comparison& comparison, const std::vector<Setting>& settings, const Outcomes& outcomes)
      : comparison_(comparison), settings_(settings), outcomes_(outcomes) {}

  ordered_json json() const {
    ordered_json summary;
    for (const std::string& objective : comparison_.objectives) {
      for (const std::string& name : comparison_.one_pass)
        summary["gap_percent"][objective][name] = gap(objective, name);
      for (const std::string& name : comparison_.searches)
        summary["gap_percent"][objective][name] = gap(objective, name);
      summary["best_search"][objective] = best_search(objective);
    }
    summary["beats_one_pass_percent"] = share([&](std::size_t i) { return beats_one_pass(i); });
    if (!comparison_.exact.empty()) {
      summary["exact_instances"] = std::ranges::count_if(settings_, &Setting::proved);
      summary["exact_reached_percent"] = exact_reached();
    }
    return summary;
  }

 private:
  const Outcome& outcome(std::size_t setting, const std::string& optimizer) const {
    return outcomes_.at({setting, optimizer});
  }

  double gap(const std::string& objective, const std::string& optimizer) const {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      if (settings_[i].objective != objective) continue;
      sum += gap_percent(outcome(i, optimizer).median(), settings_[i]);
      ++count;
    }
    return sum / count;
  }

  std::string best_search(const std::string& objective) const {
    return *std::ranges::min_element(comparison_.searches, {},
                                     [&](const std::string& name) { return gap(objective, name); });
  }

  /// Better than all of them; or as good as one that is at the bound, which cannot be beaten.
  bool beats_one_pass(std::size_t i) const {
    const Score& found = outcome(i, best_search(settings_[i].objective)).median();
    return std::ranges::all_of(comparison_.one_pass, [&](const std::string& name) {
      const Score& other = outcome(i, name).median();
      const bool unbeatable = settings_[i].proved && reaches(other, settings_[i].best_known);
      return unbeatable ? reaches(found, other) : !reaches(other, found);
    });
  }

  double exact_reached() const {
    std::size_t proved = 0, reached = 0;
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      if (!settings_[i].proved) continue;
      ++proved;
      reached += reaches(outcome(i, best_search(settings_[i].objective)).median(), settings_[i].best_known) ? 1 : 0;
    }
    return 100.0 * static_cast<double>(reached) / static_cast<double>(std::max<std::size_t>(1, proved));
  }

  template <class Condition>
  double share(Condition holds) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < settings_.size(); ++i) count += holds(i) ? 1 : 0;
    return 100.0 * static_cast<double>(count) / static_cast<double>(settings_.size());
  }

  const Comparison& comparison_;
  const std::vector<Setting>& settings_;
  const Outcomes& outcomes_;
};

ordered_json row_of(const Setting& setting, const std::string& optimizer, const Outcome& outcome) {
  const bool fits = std::ranges::all_of(outcome.scores, [](const Score& score) { return score.excess == 0; });
  return {{"graph", setting.graph},
          {"operations", setting.problem.workload.operation_count()},
          {"objective", setting.objective},
          {"optimizer", optimizer},
          {"best", outcome.scores.front().value},
          {"median", outcome.median().value},
          {"worst", outcome.scores.back().value},
          {"fits", fits},
          {"gap_percent", gap_percent(outcome.median(), setting)},
          {"above_bound_percent", 100 * (outcome.median().value / setting.bound - 1)},
          {"seconds", outcome.seconds / static_cast<double>(outcome.scores.size())}};
}

std::vector<Setting> make_settings(const Comparison& comparison, const BenchOptions& options) {
  std::vector<Setting> settings;
  for (const NamedGraph& graph : load_graphs(comparison.graphs))
    for (const std::string& objective : comparison.objectives)
      if (graph.name.find(options.filter) != std::string::npos)
        settings.push_back(make_setting(graph, objective, comparison));
  if (settings.empty()) fail_usage("no graph of the case is called '{}'", options.filter);
  return settings;
}

}  // namespace

Comparison parse_comparison(const nlohmann::json& file, std::string_view source) {
  Comparison comparison;
  for (const auto& [key, value] : file.items()) {
    if (key == "machine") comparison.machine = value;
    else if (key == "tasks") comparison.tasks = value;
    else if (key == "objectives") comparison.objectives = value;
    else if (key == "graphs") comparison.graphs = value;
    else if (key == "one_pass") comparison.one_pass = value;
    else if (key == "searches") comparison.searches = value;
    else if (key == "exact") comparison.exact = value;
    else if (key == "exact_operations") comparison.exact_operations = value;
    else if (key == "exact_evaluations") comparison.exact_evaluations = value;
    else if (key == "evaluations") comparison.evaluations = value;
    else if (key == "seeds") comparison.seeds = value;
    else if (key == "best_known_evaluations") comparison.best_known_evaluations = value;
    else if (key != "summary") fail_usage("{}: unknown key '{}'", source, key);
  }
  if (comparison.searches.empty()) fail_usage("{}: names no searches", source);
  return comparison;
}

BenchReport compare(const Comparison& comparison, const BenchOptions& options) {
  for (const auto& list : {comparison.one_pass, comparison.searches})
    for (const std::string& spec : list) make_optimizer(spec);  // mistakes are told before anything runs
  if (comparison.exact_operations > 0) make_optimizer(comparison.exact);
  std::vector<Setting> settings = make_settings(comparison, options);
  std::vector<Job> jobs = list_jobs(settings, comparison);
  run_jobs(settings, jobs);
  for (const Job& job : jobs) {
    Setting& setting = settings[job.setting];
    setting.best_known = std::min(setting.best_known, job.score);
    setting.proved = setting.proved || job.optimal;
  }
  const Outcomes outcomes = gather(jobs);
  BenchReport report;
  for (const auto& [key, outcome] : outcomes) report.rows.push_back(row_of(settings[key.first], key.second, outcome));
  report.summary = Summary(comparison, settings, outcomes).json();
  return report;
}

}  // namespace hone
