#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/problem_files.h"
#include "formats/hlo/print.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/simulator.h"

// XLA modules in a folder: how long each takes to read, to turn into a workload and to simulate on one device, whether
// it prints back to text that reads equal, in its own order and in ours, and what it costs.

namespace hone {
namespace {

constexpr const char* kHloMachine = "p100-8";

/// True when the module, printed in the order its workload is walked in, reads back as the same work.
bool reorders(const hlo::Module& module, const Workload& workload) {
  const std::vector<hlo::InstructionId> order = hlo::entry_order(module, workload.topological_order());
  const hlo::Module moved = hlo::read_text(hlo::print_with_order(module, order));
  return moved.is_scheduled() && hlo::to_workload(moved).operation_count() == workload.operation_count();
}

Plan one_device_plan(const Workload& workload) {
  Plan plan;
  plan.device_of.assign(workload.operation_count(), DeviceId(0));
  return plan;
}

nlohmann::ordered_json measure_module(const std::filesystem::path& path, const Machine& machine) {
  const TextFile text = read_text_file(path);
  const Timer timer;
  const hlo::Module module = hlo::read_loaded(text, path.string());
  const double read_ms = timer.seconds() * 1e3;
  const Workload workload = hlo::to_workload(module);
  const double workload_ms = timer.seconds() * 1e3 - read_ms;
  const Cost cost = Simulator(std::make_shared<SimulatorTables>(workload, machine)).evaluate(one_device_plan(workload));
  const double total_ms = timer.seconds() * 1e3;
  double flops = 0, bytes = 0;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    flops += workload.operation(OperationId(i)).flops;
    bytes += workload.operation(OperationId(i)).bytes;
  }
  return {{"module", path.filename().string()},
          {"instructions", module.instructions.size()},
          {"entry", module.entry_computation().instructions.count},
          {"read_ms", read_ms},
          {"workload_ms", workload_ms},
          {"simulate_ms", total_ms - read_ms - workload_ms},
          {"total_ms", total_ms},
          {"simulated_seconds", cost.seconds},
          {"round_trip", module == hlo::read_text(hlo::print(module))},
          {"reorder", reorders(module, workload)},
          {"scheduled", module.is_scheduled()},
          {"flops", flops},
          {"bytes", bytes},
          {"operations", workload.operation_count()},
          {"buffers", workload.buffer_count()}};
}

BenchReport run_hlo(const BenchOptions& options) {
  BenchReport report;
  std::size_t modules = 0, round_trips = 0, verified = 0, simulated = 0;
  double slowest_ms = 0;
  const Machine machine = load_machine(kHloMachine);
  for (const std::filesystem::path& path : module_files(options.data)) {
    if (path.string().find(options.filter) == std::string::npos) continue;
    ++modules;
    try {
      report.rows.push_back(measure_module(path, machine));
      const auto& row = report.rows.back();
      ++verified;  // reading refuses what does not verify
      round_trips += row["round_trip"] == true && row["reorder"] == true ? 1 : 0;
      simulated += std::isfinite(row["simulated_seconds"].get<double>()) ? 1 : 0;
      slowest_ms = std::max(slowest_ms, row["total_ms"].get<double>());
    } catch (const InputError& error) {
      report.rows.push_back({{"module", path.filename().string()}, {"error", error.what()}});
    }
  }
  report.summary = {{"modules", modules},
                    {"round_trips", round_trips},
                    {"verified", verified},
                    {"simulated", simulated},
                    {"slowest_ms", slowest_ms}};
  return report;
}

const BenchRun kHlo("hlo", run_hlo);

}  // namespace
}  // namespace hone
