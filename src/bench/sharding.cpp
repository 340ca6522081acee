#include "bench/sharding.h"

#include <charconv>
#include <map>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/text_file.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/problem_files.h"
#include "formats/foreign/iopddl.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr double kSeconds = 60, kSecondsWhenLarge = 300, kQuickShardingSeconds = 2;
constexpr std::size_t kLargeNodes = 10'000;

bool is_sharding_problem(const std::filesystem::path& path) {
  return path.filename().string().find("iopddl") != std::string::npos &&
         path.string().find(".json") != std::string::npos;
}

bool is_table(const std::filesystem::path& path) { return path.filename() == "best_known.tsv"; }

/// `A` of `asplos-2025-iopddl-A.json.gz`.
std::string letter_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::size_t end = name.find(".json");
  return name.substr(name.rfind('-', end) + 1, end - name.rfind('-', end) - 1);
}

/// The best cost of the contest, by instance: the first two columns of the tables.
std::map<std::string, double> best_known(const std::filesystem::path& folder) {
  std::map<std::string, double> best;
  for (const std::filesystem::path& path :
       problem_files(folder, is_table, "tables of best known costs (best_known.tsv)")) {
    const TextFile file = read_text_file(path);
    std::istringstream lines{std::string(file.text)};
    for (std::string line; std::getline(lines, line);) {
      const std::size_t tab = line.find('\t');
      double cost = 0;
      if (tab != std::string::npos &&
          std::from_chars(line.data() + tab + 1, line.data() + line.size(), cost).ptr != line.data() + tab + 1)
        best[line.substr(0, tab)] = cost;
    }
  }
  return best;
}

struct ShardingOutcome {
  Solution solution;
  std::size_t nodes = 0;
  double seconds = 0;
};

ShardingOutcome solve_sharding(const std::filesystem::path& path, const BenchOptions& options) {
  const Timer timer;
  Problem problem;
  problem.sharding = std::make_shared<const ShardingProblem>(read_iopddl(path));
  ShardingOutcome outcome{.nodes = problem.sharding->nodes.size()};
  const double usual = outcome.nodes > kLargeNodes ? kSecondsWhenLarge : kSeconds;
  outcome.solution = solve(problem, "shard", "shard",
                           {.budget = {.seconds = (options.quick ? kQuickShardingSeconds : usual) - timer.seconds()},
                            .seed = options.seed,
                            .threads = std::max(1U, std::thread::hardware_concurrency())});
  outcome.seconds = timer.seconds();
  return outcome;
}

}  // namespace

BenchReport bench_sharding(const BenchOptions& options) {
  BenchReport report;
  const std::map<std::string, double> best = best_known(options.data);
  for (const std::filesystem::path& path :
       problem_files(options.data, is_sharding_problem, "sharding problems (*iopddl*.json.gz)")) {
    const std::string letter = letter_of(path);
    if (!best.contains(letter) || letter.find(options.filter) == std::string::npos) continue;
    const ShardingOutcome outcome = solve_sharding(path, options);
    const double gap = 100 * (outcome.solution.cost.seconds / best.at(letter) - 1);
    report.rows.push_back({{"instance", letter},
                           {"nodes", outcome.nodes},
                           {"cost", outcome.solution.cost.seconds},
                           {"best_known", best.at(letter)},
                           {"gap_percent", gap},
                           {"bound", outcome.solution.bound},
                           {"feasible", outcome.solution.cost.feasible()},
                           {"seconds", outcome.seconds},
                           {"best_after_seconds", outcome.solution.curve.back().seconds}});
    report.summary["iopddl_gap_percent"][letter] = gap;
  }
  return report;
}

namespace {
const BenchRun kSharding("sharding", bench_sharding);
}  // namespace

}  // namespace hone
