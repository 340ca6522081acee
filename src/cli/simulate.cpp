#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/output_arguments.h"
#include "cli/verb.h"
#include "formats/source/planning_source.h"
#include "plan/problem/plan_file.h"
#include "plan/problem/problem.h"
#include "plan/simulate/bounds.h"
#include "plan/simulate/simulator.h"
#include "plan/simulate/summary.h"
#include "report/fitted.h"
#include "report/group_report.h"
#include "report/table.h"
#include "report/trace.h"

namespace hone {
namespace {

constexpr std::size_t kTopOperators = 8;

struct SimulateArguments {
  std::string model, machine, plan;
  OutputArguments output, trace;
  DimOptions dims;
  bool json = false;
};

/// Everything there is to say about one simulated plan.
struct Outcome {
  Workload workload;
  Machine machine;
  Plan plan;
  Timeline timeline;
  Bounds bounds;
};

/// Everything on the first device, but for what it cannot run.
Plan plan_to_simulate(const Problem& problem, const std::string& plan_file) {
  if (!plan_file.empty()) return load_plan(plan_file, problem.workload, problem.machine);
  Plan plan = plan_on_one_device(problem.workload);
  plan.device_of = undecided_plan(problem).device_of;
  return plan;
}

Outcome simulate(const SimulateArguments& given) {
  PlanningSource source = open_operations(given.model, given.dims);
  Problem problem{.machine = machine_for(source, given.machine, given.plan)};
  problem.workload = std::move(source.workload);
  Outcome outcome{.plan = plan_to_simulate(problem, given.plan)};
  outcome.workload = std::move(problem.workload);
  outcome.machine = std::move(problem.machine);
  Simulator simulator(std::make_shared<SimulatorTables>(outcome.workload, outcome.machine));
  outcome.timeline = simulator.trace(outcome.plan);
  const Fusion fusion = outcome.plan.group_of.empty() ? Fusion::none : Fusion::allowed;
  outcome.bounds = lower_bounds(outcome.workload, outcome.machine, fusion);
  return outcome;
}

std::string_view name_of(Obstacle obstacle) {
  static constexpr std::string_view kNames[] = {"", "memory", "device", "cycle"};
  return kNames[static_cast<std::size_t>(obstacle)];
}

void print_outcome_json(const Outcome& outcome) {
  const Cost& cost = outcome.timeline.cost;
  nlohmann::ordered_json object{{"graph", outcome.workload.name},
                                {"operations", outcome.workload.operation_count()},
                                {"machine", outcome.machine.name},
                                {"seconds", cost.seconds},
                                {"peak_bytes", cost.peak_bytes},
                                {"feasible", cost.feasible()},
                                {"obstacle", name_of(cost.obstacle)},
                                {"overflow_bytes", cost.overflow_bytes},
                                {"bound_seconds", outcome.bounds.seconds()},
                                {"bound_peak_bytes", outcome.bounds.peak_bytes()}};
  const std::vector<DeviceSummary> devices = summarize(outcome.machine, outcome.timeline);
  for (std::size_t i = 0; i < devices.size(); ++i)
    object["devices"].push_back({{"name", outcome.machine.devices[i].name},
                                 {"groups", devices[i].groups},
                                 {"busy_seconds", devices[i].busy_seconds},
                                 {"idle_seconds", devices[i].idle_seconds},
                                 {"sending_seconds", devices[i].sending_seconds},
                                 {"peak_bytes", devices[i].peak_bytes}});
  fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_devices(const Outcome& outcome) {
  Table table({"device", "groups", "busy", "idle", "sending", "peak memory", "capacity"});
  const std::vector<DeviceSummary> devices = summarize(outcome.machine, outcome.timeline);
  for (std::size_t i = 0; i < devices.size(); ++i)
    table.add({outcome.machine.devices[i].name, fmt::to_string(devices[i].groups),
               in_milliseconds(devices[i].busy_seconds), in_milliseconds(devices[i].idle_seconds),
               in_milliseconds(devices[i].sending_seconds), with_prefix(devices[i].peak_bytes, "B"),
               with_prefix(outcome.machine.kind(DeviceId(i)).memory_bytes, "B")});
  fmt::print("{}\n", table.text());
}

void print_critical_path(const Outcome& outcome) {
  const std::vector<CriticalStep> path = critical_path(outcome.workload, outcome.plan, outcome.timeline);
  std::vector<CriticalShare> shares = critical_shares(outcome.workload, outcome.plan, path);
  shares.resize(std::min(shares.size(), kTopOperators));
  Table table({"on the critical path", "groups", "time", "share"});
  for (const CriticalShare& share : shares)
    table.add({share.op, fmt::to_string(share.groups), in_milliseconds(share.seconds),
               fmt::format("{:.1f} %", 100 * share.seconds / outcome.timeline.cost.seconds)});
  fmt::print("{}", table.text());
}

void print_outcome(const Outcome& outcome) {
  const Cost& cost = outcome.timeline.cost;
  fmt::print("{}", fitted(fmt::format("{}: {} on {}", outcome.workload.name, size_text(outcome.workload, outcome.plan),
                                      outcome.machine.name)));
  fmt::print("{}\n",
             fitted(fmt::format("time {} (no plan takes less than {}), peak memory {} (no less than {})",
                                in_milliseconds(cost.seconds), in_milliseconds(outcome.bounds.seconds()),
                                with_prefix(cost.peak_bytes, "B"), with_prefix(outcome.bounds.peak_bytes(), "B"))));
  if (cost.obstacle == Obstacle::memory)
    fmt::print("not feasible: {} more than the memory there is\n\n", with_prefix(cost.overflow_bytes, "B"));
  print_devices(outcome);
  print_critical_path(outcome);
  fmt::print("{}", groups_text(outcome.workload, outcome.plan));
}

std::function<ExitCode()> setup_simulate(CLI::App& command) {
  auto given = std::make_shared<SimulateArguments>();
  command.add_option("model", given->model, "Model, zoo:NAME, HLO module, cost graph, task set or synthetic:RECIPE")
      ->required();
  given->dims.add_to(command);
  command.add_option("--machine", given->machine,
                     "A built-in machine (hone hw list), processors:N or a TOML file; unless given, what the source "
                     "states, that of the plan, processors:2 for a task set, else p100-4");
  command.add_option("--plan", given->plan,
                     "Plan to carry out; without one everything runs on the first device that can");
  given->output.add_to(command, json_form(), "Write the plan that was carried out to this JSON file");
  given->trace.add_to(command, json_form(), "Write a trace for Perfetto to this JSON file", "--trace");
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  add_examples(command, {{"hone simulate zoo:bert", "all on the first device"},
                         {"hone simulate m.hlo --plan plan.json --trace t.json", "a plan, and its trace"}});
  return [given] {
    const std::string inputs[] = {given->model, given->machine, given->plan};
    const OutputTarget plan = given->output.target(inputs), trace = given->trace.target(inputs);
    const Outcome outcome = simulate(*given);
    if (given->json) print_outcome_json(outcome);
    else print_outcome(outcome);
    const SavedOutput saved_trace = trace.save([&](const std::filesystem::path& path) {
      write_trace(path, outcome.workload, outcome.machine, outcome.plan, outcome.timeline);
    });
    const SavedOutput saved_plan = plan.save(
        [&](const std::filesystem::path& path) { save_plan(path, outcome.workload, outcome.machine, outcome.plan); });
    return told(saved_plan, told(saved_trace));
  };
}

const Verb simulate_verb("simulate", Topic::plans, "Predict time and memory of a plan on a machine", setup_simulate);

}  // namespace
}  // namespace hone
