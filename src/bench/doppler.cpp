#include "formats/foreign/doppler.h"

#include <algorithm>

#include "base/error.h"
#include "base/text_file.h"
#include "bench/bench_run.h"
#include "bench/doppler_rules.h"
#include "bench/problem_files.h"
#include "formats/foreign/format.h"
#include "plan/machine/machine_file.h"
#include "plan/search/optimizer.h"

// The public graphs of DOPPLER (Yao et al., ICLR 2026) below --data, by the rules of its simulator. Files whose names
// begin with `8gpu_` are for eight devices, others for four. Figures are in its unit.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kFlips = 4000;  // of devices, which improve a rule's placement in the row it is measured by
constexpr std::uint64_t kLong = 20'000;

/// A way to place, and how many placements it may evaluate.
struct DopplerRow {
  std::string_view name, optimizer;
  std::uint64_t evaluations = 0;
};
constexpr DopplerRow kRows[] = {
    {"heft", "heft", 10},
    {"heft, then blind flips", "heft+local:batch=1,focus=0,patience=1000000000", kFlips},
    {"list-search at 100", "list-search", 100},
    {"list-search, then local", "list-search:patience=500+local", kFlips},
    {"local", "local", kFlips},
    {"anneal", "anneal", kFlips},
    {"long", "list-search:patience=2000+local", kLong},
};

double placed(const Problem& problem, const DopplerRow& row, const BenchOptions& options) {
  const Plan start = undecided_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, "place", start);
  const DopplerRules rules(problem);
  const std::uint64_t evaluations = options.quick ? std::min<std::uint64_t>(row.evaluations, 50) : row.evaluations;
  Search search(problem, *task, rules, start,
                {.budget = {.evaluations = evaluations}, .seed = options.seed, .show_progress = false});
  make_optimizer(row.optimizer)->run(search);
  return search.finish().cost.seconds;
}

/// No placement takes less: all of the longest path has to be run, and all of the work.
double least_seconds(const Problem& problem) {
  const Durations durations(problem);
  double work = 0;
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
    work += durations.seconds(OperationId(i), DeviceId(0));
  const std::vector<double> paths = seconds_to_the_end(durations, TransfersOnPath::ignored);
  return std::max(*std::ranges::max_element(paths), work / static_cast<double>(problem.machine.device_count()));
}

bool is_text(const std::filesystem::path& path) { return path.extension() == ".txt"; }

BenchReport run_doppler(const BenchOptions& options) {
  BenchReport report;
  double rule = 0, search = 0;
  for (const std::filesystem::path& path : problem_files(options.data, is_text, "graphs of DOPPLER (*.txt)")) {
    const TextFile file = read_text_file(path);
    const std::string name = path.stem().string();
    if (name.find(options.filter) == std::string::npos || detect_format(file.text) != ForeignFormat::doppler) continue;
    const Problem problem{.workload = parse_doppler(file.text, path.string()),
                          .machine = load_machine(name.starts_with("8gpu_") ? "processors:8" : "processors:4"),
                          .objective = Objective::seconds};
    Json row{{"graph", name},
             {"devices", problem.machine.device_count()},
             {"operations", problem.workload.operation_count()},
             {"bound", least_seconds(problem)}};
    double best = std::numeric_limits<double>::infinity();
    for (const DopplerRow& contender : kRows) {
      const double seconds = placed(problem, contender, options);
      row[std::string(contender.name)] = seconds;
      best = std::min(best, seconds);
    }
    row["best"] = best;
    rule = std::max(rule, row["heft, then blind flips"].get<double>() / best);
    search = std::max(search, row["list-search, then local"].get<double>() / best);
    report.rows.push_back(std::move(row));
  }
  if (report.rows.empty()) fail_usage("'{}' has no graph of DOPPLER", options.data.string());
  report.summary = {{"flips_over_best", rule}, {"search_over_best", search}};
  return report;
}

const BenchRun doppler_case("doppler", run_doppler);

}  // namespace
}  // namespace hone
