#include "learn/train/training_graph.h"

#include <atomic>
#include <cmath>

#include "base/error.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/sentence.h"
#include "base/thread_pool.h"
#include "base/verbosity.h"
#include "learn/policy/plan_sampler.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/brkga.h"
#include "plan/problem/plan_file.h"
#include "plan/solve/solve.h"

namespace hone::learn {
namespace {

/// What the genetic algorithm comes to by itself.
double standard_value(const TrainingGraph& graph, std::uint64_t evaluations) {
  return evolved_value(graph, {}, {.budget = {.evaluations = evaluations}, .show_progress = false});
}

/// Whether plans can be compared with what the genetic algorithm comes to; says so where not.
bool is_usable(const TrainingGraph& graph) {
  if (graph.standard > 0 && std::isfinite(graph.standard)) return true;
  note("left out: {}: {}", one_line(graph.problem.workload.name),
       graph.standard > 0 ? "this machine cannot run it" : "its plans cost nothing");
  return false;
}

double value_of(const TrainingGraph& graph, Evaluator& cost, const Constructed& made) {
  return score(graph.problem.objective, cost.evaluate(plan_of(made, undecided_plan(graph.problem)))).value;
}

}  // namespace

TrainingGraph::TrainingGraph(Workload workload, const Machine& machine, const Objective& objective)
    : problem{.workload = std::move(workload), .machine = machine, .objective = objective},
      view(problem),
      first(first_incumbent(view)),
      features(features_of(view, first.due)),
      cost(problem) {}

double evolved_value(const TrainingGraph& graph, const GeneGuidance& guidance, const SearchSettings& settings) {
  Brkga brkga(BrkgaParameters{}, guidance);
  return solve(graph.problem, kTrainingTasks, brkga, settings).score.value;
}

WorkloadExamples::WorkloadExamples(const TrainingRequest& request, std::vector<Workload> workloads)
    : request_(request), workloads_(std::move(workloads)) {
  std::uint64_t hash = workloads_.size();
  for (const Workload& workload : workloads_) hash = mix(hash, hone::fingerprint(workload));
  fingerprint_ = fmt::format("{:016x}", hash);
}

void WorkloadExamples::prepare() {
  const Machine machine = load_machine(request_.machine);
  const Objective objective = parse_objective(request_.objective);
  for (Workload& workload : std::exchange(workloads_, {})) {
    if (interrupted()) return;
    graphs_.push_back(std::make_unique<TrainingGraph>(std::move(workload), machine, objective));
  }
  std::atomic<std::size_t> ready = 0;
  const CountedProgress progress(graphs_.size());
  ThreadPool pool(request_.threads);
  pool.for_each(graphs_.size(), [&](std::size_t worker, std::size_t i) {
    if (interrupted()) return;
    graphs_[i]->standard = graphs_[i]->best = standard_value(*graphs_[i], request_.evaluations);
    const std::size_t count = ++ready;
    if (worker == 0)
      progress.show(count, fmt::format("solving graphs without a policy: {} of {}", count, graphs_.size()));
  });
  erase_progress();
  if (interrupted()) return;
  std::erase_if(graphs_, [](const auto& graph) { return !is_usable(*graph); });
  if (graphs_.empty()) fail_usage("there is no graph left to learn from");
}

std::vector<std::vector<Rollout>> roll_out(const PlanPolicyKind& kind, const std::vector<Assignment>& assignments,
                                           std::size_t samples, std::size_t threads, const Rng& rng) {
  std::vector<std::vector<Rollout>> rollouts(assignments.size(), std::vector<Rollout>(samples));
  ThreadPool pool(threads);
  pool.for_each(assignments.size() * samples, [&](std::size_t, std::size_t i) {
    const Assignment& assignment = assignments[i / samples];
    const TrainingGraph& graph = *assignment.graph;
    Rollout& rollout = rollouts[i / samples][i % samples];
    Rng own = rng.split(i);
    const Incumbent& incumbent = assignment.improves ? graph.incumbent : graph.first;
    rollout.made = kind.make_maker(graph.view)->build(assignment.weights, incumbent, 1, own, &rollout.trace);
    rollout.value = value_of(graph, *graph.cost.fork(), rollout.made);
  });
  return rollouts;
}

}  // namespace hone::learn
