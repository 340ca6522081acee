#include "bench/stg.h"

#include <algorithm>

#include "base/error.h"
#include "base/text_file.h"
#include "base/word_reader.h"
#include "bench/bench_run.h"
#include "bench/simulation_oracle.h"
#include "formats/foreign/stg.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/bounds.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr std::uint64_t kStgEvaluations = 10'000, kQuickEvaluations = 200;

/// A line of a table.
struct Case {
  std::filesystem::path graph;
  std::size_t processors = 0;
  double best_known = 0;
};

std::vector<std::filesystem::path> tables_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error))
    if (entry.path().filename().string().ends_with("_OPT.csv")) files.push_back(entry.path());
  if (error || files.empty()) fail_usage("'{}' is no folder with tables of optima (*_OPT.csv)", folder.string());
  std::ranges::sort(files);
  return files;
}

std::vector<Case> read_table(const std::filesystem::path& path) {
  const TextFile file = read_text_file(path);
  std::vector<Case> cases;
  for (std::string_view rest = file.text; !rest.empty();) {
    std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    std::ranges::replace(line, ',', ' ');
    WordReader words(line, path.string());
    if (words.at_end()) continue;
    Case item;
    item.graph = path.parent_path().parent_path() / std::string(words.word("a graph"));
    item.processors = static_cast<std::size_t>(words.integer("a number of processors", 1, kMaxDevices));
    while (!words.at_end()) item.best_known = words.amount("a makespan");
    if (item.best_known <= 0) fail("{}: the makespan of {} must be over 0", path.string(), item.graph.string());
    cases.push_back(std::move(item));
  }
  return cases;
}

/// Searches until the bound is met or the budget is spent. Slow, independent code has the last word on the makespan.
Solution solve_case(const Case& item, const BenchOptions& options) {
  const Problem problem{.workload = read_stg(item.graph),
                        .machine = load_machine(fmt::format("processors:{}", item.processors)),
                        .objective = Objective::seconds};
  Solution solution = solve(problem, "place+schedule", "list-search:patience=1000+exact:nodes=100000+list-search",
                            {.budget = {.evaluations = options.quick ? kQuickEvaluations : kStgEvaluations},
                             .seed = options.seed,
                             .bound = lower_bounds(problem.workload, problem.machine, Fusion::none).seconds(),
                             .show_progress = false});
  solution.score.value = simulate_slowly(problem.workload, problem.machine, solution.plan).cost.seconds;
  return solution;
}

/// What a number of cases come to.
struct Tally {
  std::size_t cases = 0, reached = 0, proved = 0, better = 0;
  double gap = 0, seconds = 0;
  std::string missed;

  void add(const Case& item, const Solution& solution) {
    const double cost = solution.score.value;
    ++cases;
    proved += solution.optimal() ? 1 : 0;
    better += cost < item.best_known ? 1 : 0;
    seconds += solution.seconds;
    if (cost <= item.best_known) ++reached;
    else missed += fmt::format("{}{}", missed.empty() ? "" : " ", item.graph.stem().string());
    gap += std::max(0.0, cost / item.best_known - 1);
  }
  void add(const Tally& other) {
    cases += other.cases;
    reached += other.reached;
    proved += other.proved;
    better += other.better;
    gap += other.gap;
    seconds += other.seconds;
  }
  double percent(double part) const { return cases == 0 ? 0 : 100 * part / static_cast<double>(cases); }
};

}  // namespace

BenchReport bench_stg(const BenchOptions& options) {
  BenchReport report;
  Tally all;
  for (const std::filesystem::path& path : tables_in(options.data)) {
    Tally tally;
    for (const Case& item : read_table(path))
      if (item.graph.string().find(options.filter) != std::string::npos) tally.add(item, solve_case(item, options));
    report.rows.push_back({{"table", path.stem().string()},
                           {"cases", tally.cases},
                           {"reached", tally.reached},
                           {"proved", tally.proved},
                           {"better_than_known", tally.better},
                           {"gap_percent", tally.percent(tally.gap)},
                           {"seconds", tally.seconds},
                           {"missed", tally.missed}});
    all.add(tally);
  }
  report.summary = {{"stg_cases", all.cases},
                    {"stg_optimal_percent", all.percent(static_cast<double>(all.reached))},
                    {"stg_gap_percent", all.percent(all.gap)},
                    {"stg_proved_percent", all.percent(static_cast<double>(all.proved))},
                    {"stg_seconds", all.seconds}};
  return report;
}

namespace {
const BenchRun kStg("stg", bench_stg);
}  // namespace

}  // namespace hone
