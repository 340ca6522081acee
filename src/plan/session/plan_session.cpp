#include "plan/session/plan_session.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/version.h"
#include "plan/problem/plan_file.h"
#include "plan/session/sharding_file.h"
#include "plan/simulate/objective_cost.h"

namespace hone {
namespace {

Problem make_problem(const PlanRequest& request, PlanningSource& source) {
  Problem problem{.sharding = source.sharding};
  if (problem.sharding) return problem;
  problem.machine = machine_for(source, request.machine, "");
  problem.workload = std::move(source.workload);
  problem.objective = parse_objective(request.objective);
  return problem;
}

Bounds bounds_of(const Problem& problem, const Solver& solver) {
  if (problem.sharding) return {};
  return lower_bounds(problem.workload, problem.machine, solver.decides_groups() ? Fusion::allowed : Fusion::none);
}

/// Adds a solution up once more by the definition.
void verify_sharding(const ShardingProblem& problem, const Solution& solution) {
  const ShardingTotals sums = totals(problem, solution.plan.strategy_of);
  const bool fits = sums.peak_usage <= static_cast<double>(problem.usage_limit);
  HONE_CHECK(
      std::abs(sums.cost - solution.cost.seconds) <= 1e-9 * std::abs(sums.cost) && fits == solution.cost.feasible(),
      "a solution costs {} and not {}", sums.cost, solution.cost.seconds);
}

}  // namespace

PlanSession::PlanSession(const PlanRequest& request, PlanningSource source)
    : source_(std::move(source)),
      problem_(make_problem(request, source_)),
      request_(completed(request, problem_, source_.name)),
      solver_(problem_, request_.tasks),
      bounds_(bounds_of(problem_, solver_)),
      before_(solver_.before()) {
  if (problem_.sharding) return;
  problem_.objective = problem_.objective.relative_to(before_);
  bound_ = objective_bound(problem_, bounds_);
  if (request_.no_more_memory) capped_ = std::make_unique<CappedSearch>(*this);
}

PlanSession::CappedSearch::CappedSearch(const PlanSession& session)
    : problem(capped_at(session.problem_, session.before_)), solver(problem, session.request_.tasks) {}

double PlanSession::in_units_of_source(double value) const {
  const Objective::Part& first = problem_.objective.parts().front();
  return first.relative || first.measure == Measure::memory ? value : value / source_.unit_seconds;
}

SearchSettings PlanSession::settings(std::uint64_t seed) const {
  SearchSettings settings{
      .budget = {.seconds = request_.seconds}, .seed = seed, .threads = request_.threads, .bound = bound_};
  if (request_.evaluations > 0) settings.budget.evaluations = request_.evaluations;
  return settings;
}

Solution PlanSession::search(Optimizer& optimizer, const SearchSettings& settings) const {
  Solution solution = (capped_ ? capped_->solver : solver_).solve(optimizer, settings);
  if (problem_.sharding) verify_sharding(*problem_.sharding, solution);
  return solution;
}

PlanResult PlanSession::run(Optimizer& optimizer) const {
  std::optional<Journal> journal;
  if (!request_.journal.empty()) journal.emplace(request_.journal, fingerprint_of_run());
  SearchSettings chosen = settings(request_.seed);
  chosen.journal = journal ? &*journal : nullptr;
  // The seconds of a sharding problem count from the start of reading, as in the contest it comes from.
  const double reading = problem_.sharding ? source_.reading_seconds : 0;
  chosen.budget.seconds = std::max(chosen.budget.seconds - reading, 1e-3);
  PlanResult result{.solution = search(optimizer, chosen)};
  result.solution.seconds += reading;
  lay_out(result);
  return result;
}

/// Gives all buffers of a plan that fits their offsets.
void PlanSession::lay_out(PlanResult& result) const {
  if (problem_.sharding || !result.solution.cost.feasible()) return;
  PlanOffsets offsets = lay_out_memory(problem_.workload, problem_.machine, result.solution.plan);
  result.solution.plan.offset_of = std::move(offsets.offset_of);
  result.arenas = std::move(offsets.arenas);
}

void PlanSession::save(const Solution& solution, const std::filesystem::path& path) const {
  if (problem_.sharding) save_strategies(path, *problem_.sharding, solution);
  else save_plan(path, problem_.workload, problem_.machine, solution.plan);
}

std::vector<WrittenOutput> PlanSession::write(const Solution& solution) const {
  return write_outputs(request_.emit, source_, problem_, solution.plan);
}

nlohmann::ordered_json PlanSession::request_json(Optimizer& optimizer) const {
  return {{"optimizer", request_.optimizer},
          {"parameters", optimizer.json()},
          {"tasks", request_.tasks},
          {"objective", request_.objective},
          {"seed", request_.seed},
          {"evaluations", request_.evaluations},
          {"seconds", request_.seconds},
          {"no_more_memory", request_.no_more_memory},
          {"commit", commit()}};
}

/// The cost before stands for the machine.
std::uint64_t PlanSession::fingerprint_of_run() const {
  const std::uint64_t planned = problem_.sharding ? fingerprint(*problem_.sharding) : fingerprint(problem_.workload);
  return hash_text(fmt::format("{} {} {} {} {} {} {} {}{}", planned, problem_.machine.name, before_.seconds,
                               before_.peak_bytes, request_.objective, request_.tasks, request_.optimizer,
                               request_.seed, request_.no_more_memory ? " no more memory" : ""));
}

}  // namespace hone
