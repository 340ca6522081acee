#include "plan/session/plan_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "plan/search/task.h"

namespace hone {
namespace {

/// Where time counts: the list heuristic that now and then beats a short search, then lists with most of the budget;
/// the rest is for small changes of the best plan. Where memory is limited a plan that is made for that comes first,
/// and if neither that nor these fit, one is searched for.
constexpr const char *kFirstForTime = "m-etf+pipelines", *kForTime = "list-search:patience=4000,until=0.8+exact+local";
constexpr const char *kBeforeTimeInMemory = "memory-greedy", *kWhereNothingFits = "memory-search:until=0.6,needed=1";
constexpr const char* kForMemory = "memory-search";
constexpr const char* kForMemoryOfOne = "memory-order+exact-memory";  // nothing is left to place
constexpr const char* kForPlaces = "partition";
/// Where operations may share kernels: the rule that is known to be good, and small changes of it.
constexpr const char* kForKernels = "fuse-priority+fuse-all+fuse-merging+local";
/// Where more than kernels is decided, what finds devices and order for the objective; kernels are then made of that.
/// Kernels and devices together take the whole budget; where no devices are to be decided that does nothing.
constexpr const char* kPlacesBeforeKernels = "joint+fuse-priority+list-search:patience=1000";
constexpr const char* kOrderBeforeKernels = "memory-order";
/// Behind those that end by themselves when the user sets a limit, to make use of all of it.
constexpr const char* kGoesOn = "+brkga";

/// Who limits a search.
enum class Limit { usual, given };

/// What is decided unless the user says: kernels only where something makes those of a plan.
constexpr const char *kPlacesAlone = "place", *kPlacesAndOrder = "place+schedule+transfers",
                     *kPlacesAndOrderWaiting = "place+schedule+transfers+wait",
                     *kWithKernels = "fuse-edges+place+schedule";

std::string usual_tasks(Measure lead, const Machine& machine) {
  if (lead == Measure::throughput || lead == Measure::latency) return kPlacesAlone;
  const bool is_time = lead == Measure::fit || lead == Measure::seconds;
  if (is_time && machine.runs_planned_kernels) return kWithKernels;
  return lead != Measure::seconds && machine.device_count() > 1 ? kPlacesAndOrderWaiting : kPlacesAndOrder;
}

/// Graphs of operations are planned for a machine and judged in several ways; a sharding problem says it all itself.
void refuse_what_means_nothing(const PlanRequest& given, const std::string& source) {
  const std::pair<const char*, bool> options[] = {{"--machine", !given.machine.empty()},
                                                  {"--objective", given.objective != PlanRequest().objective},
                                                  {"--tasks", !given.tasks.empty() && given.tasks != "shard"},
                                                  {"--no-more-memory", given.no_more_memory},
                                                  {"--emit", !given.emit.wanted.empty()}};
  for (const auto& [name, is_given] : options)
    if (is_given) fail_usage("{} means nothing for '{}', which is a sharding problem", name, source);
}

/// What suits a sharding problem, for a minute.
PlanRequest completed_for_sharding(const PlanRequest& given, const std::string& source) {
  constexpr double kUsualSeconds = 60;
  refuse_what_means_nothing(given, source);
  PlanRequest request = given;
  request.tasks = "shard";
  if (request.optimizer.empty()) request.optimizer = "shard";
  if (request.evaluations == 0 && !std::isfinite(request.seconds)) request.seconds = kUsualSeconds;
  return request;
}

/// What tasks decide, as far as methods are chosen by it.
enum class Decided { no_kernels, kernels_alone, kernels_and_more };

Decided decided_by(std::string_view tasks, const Problem& problem) {
  const std::unique_ptr<Task> task = make_task(problem, tasks, undecided_plan(problem));
  if (!task->decides_groups()) return Decided::no_kernels;
  const bool alone =
      std::ranges::all_of(task->sites(), [](const Site& site) { return site.field == PlanField::group; });
  return alone ? Decided::kernels_alone : Decided::kernels_and_more;
}

std::string usual_for_kernels(Measure lead, Decided decided) {
  const bool is_time = lead == Measure::fit || lead == Measure::seconds;
  if (decided == Decided::kernels_alone || (!is_time && lead != Measure::memory)) return kForKernels;
  return fmt::format("{}+{}", is_time ? kPlacesBeforeKernels : kOrderBeforeKernels, kForKernels);
}

std::string for_time() { return fmt::format("{}+{}", kFirstForTime, kForTime); }
std::string for_time_in_memory() {
  return fmt::format("{}+{}+{}+{}", kBeforeTimeInMemory, kFirstForTime, kWhereNothingFits, kForTime);
}

std::string usual_optimizer(Measure lead, const Machine& machine, Limit limit) {
  const std::string end = limit == Limit::given ? kGoesOn : "";
  if (lead == Measure::throughput || lead == Measure::latency) return kForPlaces + end;
  if (lead == Measure::fit) return for_time_in_memory();
  if (lead != Measure::memory) return for_time();
  return machine.devices.size() == 1 ? kForMemoryOfOne + end : kForMemory;
}

}  // namespace

/// Where only places count there is no order to decide, and evaluating a plan takes so little that many can be tried.
PlanRequest completed(const PlanRequest& given, const Problem& problem, const std::string& source) {
  if (problem.sharding) return completed_for_sharding(given, source);
  PlanRequest request = given;
  const Measure lead = problem.objective.lead();
  const bool places = lead == Measure::throughput || lead == Measure::latency;
  if (request.tasks.empty()) request.tasks = usual_tasks(lead, problem.machine);
  if (request.no_more_memory && !problem.objective.limits_memory())
    fail_usage("--no-more-memory means nothing for --objective {}, which does not heed how much memory there is",
               request.objective);
  const Decided decided = decided_by(request.tasks, problem);
  const Limit limit = given.evaluations == 0 && !std::isfinite(given.seconds) ? Limit::usual : Limit::given;
  if (limit == Limit::usual) request.evaluations = places && decided == Decided::no_kernels ? 300'000 : 5000;
  if (request.optimizer.empty())
    request.optimizer = decided == Decided::no_kernels ? usual_optimizer(lead, problem.machine, limit)
                                                       : usual_for_kernels(lead, decided);
  return request;
}

std::string usual_optimizers() {
  return fmt::format(
      "{} for time (where memory is limited, {} comes before it and {} after {}), {} for memory ({} on one device), "
      "{} for throughput and latency; where tasks decide kernels, {}, and where they decide more besides, before that "
      "{} for time, {} for memory",
      for_time(), kBeforeTimeInMemory, kWhereNothingFits, kFirstForTime, kForMemory, kForMemoryOfOne, kForPlaces,
      kForKernels, kPlacesBeforeKernels, kOrderBeforeKernels);
}

}  // namespace hone
