#include "bench/fiddle.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/text_file.h"
#include "bench/bench_run.h"
#include "formats/foreign/fiddle.h"
#include "plan/simulate/objective_cost.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr double kFiddleSeconds = 50, kQuickFiddleSeconds = 1;
constexpr std::uint64_t kFiddleEvaluations = 1'000'000;
constexpr std::size_t kFiddleThreads = 2;
constexpr double kAsPrinted = 1 + 5e-5;  // anchors have five digits or six

/// Figures of others for one graph, by method.
using Anchors = std::map<std::string, double>;

std::vector<std::string_view> split_line(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (bool more = true; more;) {
    const std::size_t end = line.find(separator);
    more = end != std::string_view::npos;
    cells.push_back(line.substr(0, end));
    if (more) line.remove_prefix(end + 1);
  }
  return cells;
}

bool is_cost(std::string_view column) {
  return column != "set" && column != "graph" && column != "ls_restarts" && !column.starts_with("dp_wall");
}

/// By `set/graph`.
std::map<std::string, Anchors> read_anchors(const std::filesystem::path& path) {
  const std::string text(read_text_file(path).text);
  const std::vector<std::string_view> lines = split_line(text, '\n');
  const std::vector<std::string_view> columns = split_line(lines.front(), '\t');
  std::map<std::string, Anchors> anchors;
  for (const std::string_view line : std::span(lines).subspan(1)) {
    const std::vector<std::string_view> cells = split_line(line, '\t');
    if (cells.size() != columns.size()) continue;
    Anchors& row = anchors[fmt::format("{}/{}", cells[0], cells[1])];
    for (std::size_t i = 2; i < cells.size(); ++i) {
      double value = 0;
      const bool is_number =
          std::from_chars(cells[i].data(), cells[i].data() + cells[i].size(), value).ec == std::errc();
      if (is_cost(columns[i]) && is_number) row.emplace(columns[i], value);
    }
  }
  return anchors;
}

/// The folder with the anchors: the one given or one in it.
std::filesystem::path find_folder(const std::filesystem::path& data) {
  for (const std::filesystem::path& folder : {data, data / "msr-fiddle"})
    if (std::filesystem::exists(folder / "anchors_throughput.tsv")) return folder;
  fail_usage("'{}' is no folder with anchors_throughput.tsv and graphs", data.string());
}

/// A graph with what it is judged by and against.
struct FiddleInstance {
  std::filesystem::path path, expert;
  std::string name;  // `set/graph`
  Objective objective;
  Anchors anchors;
};

std::vector<FiddleInstance> instances_in(const std::filesystem::path& folder) {
  std::vector<FiddleInstance> instances;
  for (const Objective& objective : {Objective::throughput, Objective::latency}) {
    const std::string name = name_of(objective);
    const std::map<std::string, Anchors> anchors = read_anchors(folder / fmt::format("anchors_{}.tsv", name));
    const std::filesystem::path inputs = folder / (name + "-inputs");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(inputs)) {
      if (entry.path().extension() != ".json") continue;
      const std::filesystem::path relative = entry.path().lexically_relative(inputs);
      const std::string graph = (relative.parent_path() / relative.stem()).string();
      const auto found = anchors.find(graph);
      if (found == anchors.end()) continue;
      instances.push_back({.path = entry.path(),
                           .expert = folder / "human-experts" / (relative.stem().string() + "_expert.json"),
                           .name = graph,
                           .objective = objective,
                           .anchors = found->second});
    }
  }
  std::ranges::sort(instances, {}, [](const FiddleInstance& instance) {
    return std::pair(instance.objective == Objective::latency, instance.name);
  });
  return instances;
}

Solution solve_instance(const Problem& problem, const BenchOptions& options) {
  return solve(
      problem, "place", "partition",
      {.budget = {.evaluations = kFiddleEvaluations, .seconds = options.quick ? kQuickFiddleSeconds : kFiddleSeconds},
       .seed = options.seed,
       .threads = kFiddleThreads,
       .show_progress = false});
}

/// Why the split of the expert is no answer: it needs more memory or devices than there are. Empty when it is one, or
/// there is none. The published programs, too, add up the sizes of all nodes on an accelerator, and call such a split
/// out of memory; but they print its figure.
std::string fault_of_expert(const FiddleInstance& instance, const FiddleProblem& stated, const Problem& problem) {
  if (!std::filesystem::exists(instance.expert)) return "";
  try {
    const TextFile file = read_text_file(instance.expert);
    const Plan plan = parse_fiddle_split(file.text, instance.expert.string(), stated);
    const Cost cost = ObjectiveCost(problem).evaluate(plan);
    if (cost.feasible()) return "";
    return fmt::format("expert exceeds {:.0f} bytes by {:.0f}", stated.accelerator_bytes, cost.overflow_bytes);
  } catch (const InputError&) {
    return fmt::format("expert uses more than {} accelerators", stated.accelerators);
  }
}

Anchors::const_iterator best_of(const Anchors& anchors) {
  return std::ranges::min_element(anchors, {}, [](const auto& anchor) { return anchor.second; });
}

nlohmann::ordered_json measure_instance(const FiddleInstance& instance, const BenchOptions& options) {
  FiddleProblem stated = read_fiddle(instance.path);
  const Problem problem{.workload = stated.workload, .machine = machine_of(stated), .objective = instance.objective};
  const Solution solution = solve_instance(problem, options);
  const double ours = solution.score.value / FiddleProblem::kUnitSeconds;
  const Bounds bounds = lower_bounds(problem.workload, problem.machine, Fusion::none);
  const std::string fault = fault_of_expert(instance, stated, problem);
  Anchors fitting = instance.anchors;
  if (!fault.empty()) std::erase_if(fitting, [](const auto& anchor) { return anchor.first.ends_with("expert"); });
  const auto best = best_of(instance.anchors), best_fitting = best_of(fitting);
  const bool feasible = solution.score.excess == 0;
  return {{"graph", instance.name},
          {"objective", name_of(instance.objective)},
          {"operations", problem.workload.operation_count()},
          {"ours", ours},
          {"bound", objective_bound(problem, bounds) / FiddleProblem::kUnitSeconds},
          {"best_anchor", best->second},
          {"which", best->first},
          {"best_fitting", best_fitting->second},
          {"which_fitting", best_fitting->first},
          {"fault", fault},
          {"feasible", feasible},
          {"reached", feasible && ours <= best->second * kAsPrinted},
          {"reached_fitting", feasible && ours <= best_fitting->second * kAsPrinted},
          {"evaluations", solution.evaluations},
          {"seconds", solution.seconds}};
}

double percent_of(const std::vector<nlohmann::ordered_json>& rows, std::string_view key) {
  const auto count = std::ranges::count_if(rows, [&](const auto& row) { return row[key].template get<bool>(); });
  return rows.empty() ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(rows.size());
}

const BenchRun kFiddle("fiddle", compare_fiddle);

}  // namespace

BenchReport compare_fiddle(const BenchOptions& options) {
  BenchReport report;
  double slowest = 0;
  for (const FiddleInstance& instance : instances_in(find_folder(options.data))) {
    if (fmt::format("{} {}", name_of(instance.objective), instance.name).find(options.filter) == std::string::npos)
      continue;
    report.rows.push_back(measure_instance(instance, options));
    slowest = std::max(slowest, report.rows.back()["seconds"].get<double>());
  }
  report.summary = {{"graphs", report.rows.size()},
                    {"msr_best_percent", percent_of(report.rows, "reached")},
                    {"msr_best_fitting_percent", percent_of(report.rows, "reached_fitting")},
                    {"slowest_seconds", slowest}};
  return report;
}

}  // namespace hone
