#include "cli/plan_case.h"

#include <utility>

#include "base/hash.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/plan_file.h"

namespace hone {
namespace {

Machine machine_for(const PlanRequest& request, PlanningSource& source) {
  if (!request.machine.empty()) return load_machine(request.machine);
  return source.machine ? *std::move(source.machine) : load_machine(default_machine(source.workload));
}

Problem make_problem(const PlanRequest& request, PlanningSource source) {
  Machine machine = machine_for(request, source);
  return {.workload = std::move(source.workload),
          .machine = std::move(machine),
          .objective = parse_objective(request.objective)};
}

}  // namespace

PlanCase::PlanCase(const PlanRequest& request) : PlanCase(request, load_planning_source(request.model, request.dims)) {}

PlanCase::PlanCase(const PlanRequest& request, PlanningSource source)
    : request_(request),
      unit_seconds_(source.unit_seconds),
      problem_(make_problem(request, std::move(source))),
      task_(make_task(problem_, request.tasks)),
      evaluator_(problem_),
      bounds_(lower_bounds(problem_.workload, problem_.machine, Fusion::none)),
      start_(undecided_plan(problem_)),
      before_(evaluator_.evaluate(start_)) {
  request_.optimizer = request.optimizer_for(problem_.machine);
  problem_.objective = problem_.objective.relative_to(before_);
  bound_ = objective_bound(problem_, bounds_);
}

double PlanCase::in_units_of_source(double value) const {
  const Objective::Part& first = problem_.objective.parts().front();
  return first.relative || first.measure == Measure::memory ? value : value / unit_seconds_;
}

Solution PlanCase::solve(Optimizer& optimizer, std::uint64_t seed, Journal* journal) const {
  Search search(problem_, *task_, evaluator_, start_,
                {.budget = {.evaluations = request_.evaluations, .seconds = request_.seconds},
                 .seed = seed,
                 .threads = request_.threads,
                 .bound = bound(),
                 .journal = journal});
  optimizer.run(search);
  return search.finish();
}

std::vector<DeviceArena> PlanCase::lay_out(Solution& solution) const {
  if (!solution.cost.feasible()) return {};
  PlanOffsets offsets = lay_out_memory(problem_.workload, problem_.machine, solution.plan);
  solution.plan.offset_of = std::move(offsets.offset_of);
  return std::move(offsets.arenas);
}

/// The cost before stands for the machine.
std::uint64_t PlanCase::fingerprint_of_run(std::string_view optimizer, std::uint64_t seed) const {
  return hash_text(fmt::format("{} {} {} {} {} {} {} {}", fingerprint(problem_.workload), problem_.machine.name,
                               before_.seconds, before_.peak_bytes, request_.objective, request_.tasks, optimizer,
                               seed));
}

}  // namespace hone
