#include "bench/go/joint_ways.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "plan/methods/fusion_rules.h"

namespace hone {
namespace {

/// The form that can say what the others can: copies, and kernels of several results.
constexpr std::string_view kKernels = "fuse-edges";
constexpr std::string_view kPlaces = "place+schedule";
constexpr std::string_view kAll = "fuse-edges+place+schedule";
/// Where kernels are settled, `joint` schedules them with all it has: no weaker rival would do.
constexpr const char* kKernelLists = "joint";
constexpr std::string_view kKernelRules = "fuse-priority+fuse-all+fuse-merging";
/// Of which a sequence that foresees what decisions about kernels are worth gives as much to these as `joint` does.
constexpr double kForeseenShare = 0.15;

/// One step of a way: some tasks, decided by an optimiser from the plan of the step before.
Solution decided(const Problem& problem, const Plan& start, std::string_view tasks, std::string_view optimizer,
                 const SearchSettings& settings) {
  const std::unique_ptr<Optimizer> made = make_optimizer(optimizer);
  return Solver(problem, tasks, start).solve(*made, settings);
}

SearchSettings for_evaluations(std::uint64_t evaluations, std::uint64_t seed) {
  return {.budget = {.evaluations = evaluations}, .seed = seed, .show_progress = false};
}

/// The order is the best that `fifo` saw on its way to one that leads to itself, which favours the default.
Solution by_default(const Problem& problem, std::uint64_t seed) {
  constexpr std::uint64_t kEnough = 100;
  const SearchSettings settings = for_evaluations(kEnough, seed);
  const Plan placed = decided(problem, undecided_plan(problem), "place", "expert", settings).plan;
  return decided(problem, fused_by(FusionRule::topological, problem, placed), "schedule", "fifo", settings);
}

struct Step {
  std::string tasks, optimizer;
  double share = 1;  // of all evaluations
};

Solution one_after_another(const Problem& problem, std::span<const Step> steps, std::uint64_t evaluations,
                           std::uint64_t seed) {
  Plan start = undecided_plan(problem);
  Solution solution;
  for (const Step& step : steps) {
    const auto share = static_cast<std::uint64_t>(step.share * static_cast<double>(evaluations));
    solution = decided(problem, start, step.tasks, step.optimizer, for_evaluations(share, seed));
    start = solution.plan;
  }
  return solution;
}

JointWay sequence(std::string name, std::vector<Step> steps, WayKind kind = WayKind::sequence) {
  return {.name = std::move(name),
          .kind = kind,
          .run = [steps = std::move(steps)](const Problem& problem, std::uint64_t evaluations, std::uint64_t seed) {
            return one_after_another(problem, steps, evaluations, seed);
          }};
}

/// One task from the default on.
JointWay alone(const std::string& task, const std::string& tasks, const std::string& optimizer) {
  return {.name = task + " alone",
          .kind = WayKind::alone,
          .run = [=](const Problem& problem, std::uint64_t evaluations, std::uint64_t seed) {
            return decided(problem, by_default(problem, seed).plan, tasks, optimizer,
                           for_evaluations(evaluations, seed));
          }};
}

JointWay together(const std::string& optimizer, WayKind kind) {
  return {.name = optimizer,
          .kind = kind,
          .run = [=](const Problem& problem, std::uint64_t evaluations, std::uint64_t seed) {
            return decided(problem, undecided_plan(problem), kAll, optimizer, for_evaluations(evaluations, seed));
          }};
}

bool exists(const std::string& optimizer) {
  try {
    make_optimizer(optimizer);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string_view name_of(WayKind kind) {
  constexpr std::string_view kNames[] = {"default", "alone", "sequence", "foreseen", "joint", "go"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<JointWay> joint_ways() {
  const std::string kernels = fmt::format("{}+local", kKernelRules), tasks(kKernels), places(kPlaces);
  std::vector<JointWay> ways{
      {.name = "default",
       .kind = WayKind::standard,
       .share = 0.01,
       .run = [](const Problem& problem, std::uint64_t, std::uint64_t seed) { return by_default(problem, seed); }},
      alone("place", "place", kKernelLists),
      alone("schedule", "schedule", "local"),
      alone("fuse", tasks, kernels),
      sequence("fuse, place, schedule by local",
               {{tasks, kernels, 1. / 3}, {"place", "local", 1. / 3}, {"schedule", "local", 1. / 3}}),
      sequence("fuse by local, kernels by list-search", {{tasks, kernels, 0.5}, {places, kKernelLists, 0.5}}),
      sequence("fuse by priority, kernels by list-search",
               {{tasks, "fuse-priority", 0.002}, {places, kKernelLists, 0.998}}),
      sequence("fuse by merging, kernels by list-search",
               {{tasks, std::string(kKernelRules), 0.002}, {places, kKernelLists, 0.998}}),
      sequence("list-search, then fuse by local", {{places, "list-search", 0.5}, {tasks, kernels, 0.5}}),
      sequence("heft, then fuse by local", {{places, "heft", 0.01}, {tasks, kernels, 0.99}}),
      sequence("fuse by advantages, kernels by list-search",
               {{tasks, fmt::format("{}+advantage:policy=zero-step", kKernelRules), kForeseenShare},
                {places, kKernelLists, 1 - kForeseenShare}},
               WayKind::foreseen),
      together(fmt::format("{}+local:turns=0.5", kKernelRules), WayKind::joint),
      together("joint:decide=0", WayKind::joint),
      together("joint", WayKind::joint)};
  for (const char* learned : {"go", "joint:begin=go"})
    if (exists(learned)) ways.push_back(together(learned, WayKind::go));
  return ways;
}

Solution jointly_within(const Problem& problem, double bytes, std::uint64_t evaluations, std::uint64_t seed) {
  Problem capped = capped_at(problem, {.peak_bytes = bytes});
  capped.objective = Objective::seconds_in_memory;
  return decided(capped, undecided_plan(capped), kAll, "joint", for_evaluations(evaluations, seed));
}

}  // namespace hone
