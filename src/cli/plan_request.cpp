#include "cli/plan_request.h"

#include <algorithm>
#include <thread>

#include "plan/problem/objective.h"

namespace hone {
namespace {

/// Where time counts lists come first, with half of the usual budget; the rest is for placement.
constexpr const char* kForTime = "list-search:patience=2000+exact+brkga";
constexpr const char* kForMemory = "memory-order+memory-greedy+brkga";
constexpr const char* kForMemoryOfOne = "memory-order+exact-memory";  // nothing is left to place
constexpr const char* kForPlaces = "partition";

}  // namespace

/// Where only places count there is no order to decide, and evaluating a plan takes so little that many can be tried.
PlanRequest PlanRequest::completed() const {
  PlanRequest request = *this;
  const Measure lead = parse_objective(objective).lead();
  const bool places = lead == Measure::throughput || lead == Measure::latency;
  if (tasks.empty()) request.tasks = places ? "place" : "place+schedule+transfers";
  if (evaluations == 0) request.evaluations = places ? 300'000 : 5000;
  return request;
}

std::string PlanRequest::optimizer_for(const Machine& planned) const {
  if (!optimizer.empty()) return optimizer;
  const Measure lead = parse_objective(objective).lead();
  if (lead == Measure::throughput || lead == Measure::latency) return kForPlaces;
  if (lead != Measure::memory) return kForTime;
  return planned.devices.size() == 1 ? kForMemoryOfOne : kForMemory;
}

void PlanRequest::add_to(CLI::App& command) {
  threads = std::max(1U, std::thread::hardware_concurrency());
  command.add_option("model", model,
                     "Model, zoo:NAME, HLO module, cost graph, task set, sharding problem, buffers with lifetimes or "
                     "synthetic:RECIPE");
  dims.add_to(command);
  command.add_option("--machine", machine,
                     "A built-in machine (hone hw list), processors:N or a TOML file; unless given, what the source "
                     "states, processors:2 for a task set, else p100-4");
  command.add_option("--optimize", optimizer,
                     fmt::format("Optimiser, NAME[:key=value,...]; NAME+NAME runs one after another; unless given, {} "
                                 "for time, {} for memory ({} on one device), {} for throughput and latency",
                                 kForTime, kForMemory, kForMemoryOfOne, kForPlaces));
  CLI::Option* compared =
      command.add_option("--compare", compare, "Several optimisers at equal budget instead, as one table");
  command.add_option("--seeds", seeds, "How often each of them runs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--tasks", tasks, "What is decided; unless given, what matters to the objective");
  command
      .add_option("--objective", objective,
                  "fit (time, of plans that fit into memory), seconds (memory has no end), memory, throughput (largest "
                  "load of a device), latency (one sample through calls of devices); A,B compares B where A is equal, "
                  "A*0.7+B*0.3 weighs both relative to nothing decided")
      ->capture_default_str();
  command.add_option("--evals", evaluations, "Plans to try at most; unless given, what suits the objective")
      ->check(CLI::PositiveNumber);
  command.add_option("--time", seconds, "Seconds to search at most")->check(CLI::PositiveNumber);
  command.add_option("--seed", seed, "Seed of all randomness")->capture_default_str();
  command.add_option("--threads", threads, "Threads; the result is the same on any number")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_option("-o,--output", output, "Write the plan to this file");
  command.add_option("--resume", journal,
                     "Journal of the run: written as it goes; a run that was killed goes on from it");
  command.add_option("--db", store, "Record the run: sqlite:///FILE, postgresql://... or default (hone db)")
      ->excludes(compared);
  outputs.add_to(command);
  command.add_flag("--json", json, "One JSON object instead of tables");
}

}  // namespace hone
