#include "bench/memory.h"

#include <algorithm>
#include <charconv>

#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/problem_files.h"
#include "formats/foreign/minimalloc.h"
#include "plan/memory/plan_memory.h"

namespace hone {
namespace {

constexpr double kMemorySeconds = 60, kQuickMemorySeconds = 2;

/// The capacity that stands in the name of a file, or 0.
std::int64_t capacity_in_name(const std::filesystem::path& path) {
  const std::string digits = path.stem().extension().string();
  std::int64_t capacity = 0;
  if (path.extension() == ".csv" && digits.size() > 1)
    std::from_chars(digits.data() + 1, digits.data() + digits.size(), capacity);
  return capacity;
}

bool is_problem(const std::filesystem::path& path) { return capacity_in_name(path) > 0; }

nlohmann::ordered_json measure_problem(const std::filesystem::path& path, double most_seconds) {
  MemoryProblem problem = read_minimalloc(path);
  problem.capacity = capacity_in_name(path);
  const Timer timer;
  const MemoryOutcome outcome = plan_memory(problem, {.seconds = most_seconds});
  const double seconds = timer.seconds();
  return {{"problem", path.filename().string()},
          {"buffers", problem.buffers.size()},
          {"capacity", problem.capacity},
          {"height", outcome.plan.height},
          {"bound", outcome.bound},
          {"nodes", outcome.nodes},
          {"seconds", seconds},
          {"solved", outcome.fits && !check(problem, outcome.plan)}};
}

}  // namespace

BenchReport bench_memory(const BenchOptions& options) {
  BenchReport report;
  std::size_t solved = 0;
  double total = 0, slowest = 0;
  for (const std::filesystem::path& path :
       problem_files(options.data, is_problem, "memory problems (*.CAPACITY.csv)")) {
    if (path.string().find(options.filter) == std::string::npos) continue;
    report.rows.push_back(measure_problem(path, options.quick ? kQuickMemorySeconds : kMemorySeconds));
    const double seconds = report.rows.back()["seconds"].get<double>();
    solved += report.rows.back()["solved"] == true ? 1 : 0;
    total += seconds;
    slowest = std::max(slowest, seconds);
  }
  report.summary = {{"problems", report.rows.size()},
                    {"minimalloc_solved", solved},
                    {"minimalloc_seconds", total},
                    {"slowest_seconds", slowest}};
  return report;
}

namespace {
const BenchRun kMemory("memory", bench_memory);

}  // namespace
}  // namespace hone
