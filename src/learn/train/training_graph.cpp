#include "learn/train/training_graph.h"

#include <atomic>
#include <cmath>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/sentence.h"
#include "base/thread_pool.h"
#include "learn/policy/plan_sampler.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/brkga.h"
#include "plan/search/task.h"

namespace hone::learn {
namespace {

constexpr std::uint64_t kStandardEvaluations = 1000;

/// What the genetic algorithm comes to by itself.
double standard_value(const TrainingGraph& graph) {
  const std::unique_ptr<Task> task = make_task(graph.problem, "place+schedule");
  Search search(graph.problem, *task, graph.cost, undecided_plan(graph.problem),
                {.budget = {.evaluations = kStandardEvaluations}, .show_progress = false});
  Brkga(BrkgaParameters{}).run(search);
  return search.finish().score.value;
}

/// Whether plans can be compared with what the genetic algorithm comes to; says so where not.
bool is_lesson(const TrainingGraph& graph) {
  if (graph.standard > 0 && std::isfinite(graph.standard)) return true;
  fmt::print(stderr, "left out: {}: {}\n", one_line(graph.problem.workload.name),
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

std::vector<std::unique_ptr<TrainingGraph>> make_training_graphs(const TrainingRequest& request,
                                                                 std::vector<Workload> workloads) {
  const Machine machine = load_machine(request.machine);
  const Objective objective = parse_objective(request.objective);
  std::vector<std::unique_ptr<TrainingGraph>> graphs;
  for (Workload& workload : workloads) {
    if (interrupted()) return {};
    graphs.push_back(std::make_unique<TrainingGraph>(std::move(workload), machine, objective));
  }
  std::atomic<std::size_t> ready = 0;
  ThreadPool pool(request.threads);
  pool.for_each(graphs.size(), [&](std::size_t worker, std::size_t i) {
    if (interrupted()) return;
    graphs[i]->standard = graphs[i]->best = standard_value(*graphs[i]);
    const std::size_t count = ++ready;
    if (worker == 0) show_progress(fmt::format("solving graphs without a policy: {} of {}", count, graphs.size()));
  });
  erase_progress();
  if (interrupted()) return {};
  std::erase_if(graphs, [](const auto& graph) { return !is_lesson(*graph); });
  if (graphs.empty()) fail_usage("there is no graph left to learn from");
  return graphs;
}

std::vector<std::vector<Rollout>> roll_out(const std::vector<std::unique_ptr<TrainingGraph>>& graphs,
                                           const std::vector<Assignment>& assignments, std::size_t samples,
                                           std::size_t threads, const Rng& rng) {
  std::vector<std::vector<Rollout>> rollouts(assignments.size(), std::vector<Rollout>(samples));
  ThreadPool pool(threads);
  pool.for_each(assignments.size() * samples, [&](std::size_t, std::size_t i) {
    const Assignment& assignment = assignments[i / samples];
    const TrainingGraph& graph = *graphs[assignment.graph];
    Rollout& rollout = rollouts[i / samples][i % samples];
    Rng own = rng.split(i);
    rollout.made =
        make_plan_maker(assignment.head, graph.view)
            ->build(assignment.taste, assignment.leans ? graph.incumbent : graph.first, 1, own, &rollout.trace);
    rollout.value = value_of(graph, *graph.cost.fork(), rollout.made);
  });
  return rollouts;
}

}  // namespace hone::learn
