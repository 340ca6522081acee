#include "base/text_file.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/problem_files.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "plan/methods/least_memory_order.h"
#include "plan/methods/operation_orders.h"

// XLA modules in a folder on one device: the peak memory of the module's own order, of the orders XLA would try and of
// ours, and what no order can do without.

namespace hone {
namespace {

std::vector<OperationId> own_order(const Workload& workload) {
  const std::span<const OperationId> listed = workload.topological_order();
  return workload.given_order.empty() ? std::vector<OperationId>(listed.begin(), listed.end()) : workload.given_order;
}

double percent_above(std::int64_t value, std::int64_t base) {
  return base == 0 ? 0 : 100.0 * (static_cast<double>(value) / static_cast<double>(base) - 1);
}

nlohmann::ordered_json measure_order(const std::filesystem::path& path) {
  const Workload workload = hlo::to_workload(hlo::read_loaded(read_text_file(path), path.string()));
  const std::vector<OperationId> own = own_order(workload);
  const Timer timer;
  const OrderMemory memory(workload);
  const OrderOutcome outcome = least_memory_order(memory, own);
  const double seconds = timer.seconds();
  const std::int64_t own_bytes = memory.peak_bytes(own), our_bytes = memory.peak_bytes(outcome.order);
  nlohmann::ordered_json row{
      {"module", path.filename().string()}, {"operations", workload.operation_count()}, {"own", own_bytes}};
  for (const OperationOrderRule& rule : operation_order_rules()) row[rule.name] = memory.peak_bytes(rule.make(memory));
  row["ours"] = our_bytes;
  row["bound"] = outcome.bound_bytes;
  row["improvement_percent"] = 0.0 - percent_above(our_bytes, own_bytes);
  row["gap_percent"] = percent_above(our_bytes, outcome.bound_bytes);
  row["seconds"] = seconds;
  return row;
}

BenchReport run_order(const BenchOptions& options) {
  BenchReport report;
  std::size_t worse = 0;
  double improvement = 0, gap = 0;
  for (const std::filesystem::path& path : module_files(options.data)) {
    if (path.string().find(options.filter) == std::string::npos) continue;
    report.rows.push_back(measure_order(path));
    const nlohmann::ordered_json& row = report.rows.back();
    worse += row["ours"].get<std::int64_t>() > row["own"].get<std::int64_t>() ? 1 : 0;
    improvement += row["improvement_percent"].get<double>();
    gap += row["gap_percent"].get<double>();
  }
  const double count = std::max(1.0, static_cast<double>(report.rows.size()));
  report.summary = {{"modules", report.rows.size()},
                    {"worse_than_own", worse},
                    {"mean_improvement_percent", improvement / count},
                    {"mean_gap_percent", gap / count}};
  return report;
}

const BenchRun kOrder("order", run_order);

}  // namespace
}  // namespace hone
