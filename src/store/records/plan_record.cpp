#include "store/records/plan_record.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "plan/machine/hardware_description.h"
#include "plan/problem/plan_file.h"
#include "store/records/circumstances.h"

namespace hone {
namespace {

Provenance provenance_of(const Problem& problem) {
  return {.graph = problem.sharding ? graph_record(*problem.sharding) : graph_record(problem.workload),
          .hardware = {described(describe_hardware(problem.machine))},
          .software = {described({{"runtime", "simulator"}, {"version", version()}})}};
}

std::string_view unit_of(const Problem& problem) {
  if (problem.sharding) return "cost";
  return problem.objective == Objective::peak_bytes ? "bytes" : "seconds";
}

/// The plan as its file has it; of a sharding problem, the strategies of its nodes.
Json plan_of(const Problem& problem, const Plan& plan) {
  if (problem.sharding) return {{"graph", problem.sharding->name}, {"strategies", plan.strategy_of}};
  return Json::parse(plan_json(problem.workload, problem.machine, plan));
}

Json outcome_of(const Solution& solution) {
  return {{"seconds", solution.cost.seconds},
          {"peak_bytes", solution.cost.peak_bytes},
          {"feasible", solution.cost.feasible()},
          {"evaluations", solution.evaluations},
          {"evaluations_to_best", solution.curve.back().evaluations},
          {"search_seconds", solution.seconds},
          {"interrupted", solution.end == SearchEnd::interrupted}};
}

}  // namespace

std::string record_plan(Store& store, const Problem& problem, const Solution& solution, const Json& request) {
  const Provenance provenance = provenance_of(problem);
  const bool is_usable = solution.score.excess <= 0 && std::isfinite(solution.score.value);
  const RunRecord run{.id = new_record_id(),
                      .graph = provenance.graph.id,
                      .hardware = provenance.hardware.id,
                      .software = provenance.software.id,
                      .kind = "plan",
                      .state = Progress::done,
                      .unit = std::string(unit_of(problem)),
                      .value = is_usable ? std::optional(solution.score.value) : std::nullopt,
                      .request = request,
                      .outcome = outcome_of(solution)};
  const PlanRecord plan{
      .id = new_record_id(), .run = run.id, .value = run.value, .plan = plan_of(problem, solution.plan)};
  store.write([&](Writer& writer) {
    writer.add(provenance);
    writer.add(run);
    writer.add(plan);
  });
  return run.id;
}

}  // namespace hone
