#include "learn/training_graph.h"

#include "base/error.h"
#include "base/thread_pool.h"
#include "core/lower.h"
#include "core/task.h"
#include "machine/machine_file.h"
#include "optimize/brkga.h"
#include "policy/plan_sampler.h"
#include "zoo/dataset.h"
#include "zoo/registry.h"

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

double value_of(const TrainingGraph& graph, Evaluator& cost, const Constructed& made) {
  return score(graph.problem.objective, cost.evaluate(plan_of(made, undecided_plan(graph.problem)))).value;
}

std::vector<std::pair<std::string, Workload>> load(const std::string& spec) {
  std::vector<std::pair<std::string, Workload>> graphs;
  if (is_zoo_spec(spec)) {
    graphs.emplace_back(spec, lower(build_zoo(spec)));
    return graphs;
  }
  if (!zoo::is_dataset_recipe(spec))
    fail_usage("'{}' is nothing to learn from: name zoo:MODEL or synthetic:RECIPE", spec);
  const zoo::Dataset dataset(zoo::parse_recipe(spec));
  for (const zoo::Dataset::Item& item : dataset.items_of(zoo::Split::train))
    graphs.emplace_back(fmt::format("{} #{}", spec, item.draw), dataset.graph(item));
  return graphs;
}

}  // namespace

TrainingGraph::TrainingGraph(std::string graph_name, Workload workload, const Machine& machine,
                             const Objective& objective)
    : name(std::move(graph_name)),
      problem{.workload = std::move(workload), .machine = machine, .objective = objective},
      view(problem),
      first(first_incumbent(view)),
      features(features_of(view, first.due)),
      cost(problem) {}

std::vector<std::unique_ptr<TrainingGraph>> load_training_graphs(const TrainingRequest& request) {
  const Machine machine = load_machine(request.machine);
  const Objective objective = parse_objective(request.objective);
  std::vector<std::unique_ptr<TrainingGraph>> graphs;
  for (const std::string& spec : request.data)
    for (auto& [name, workload] : load(spec))
      graphs.push_back(std::make_unique<TrainingGraph>(name, std::move(workload), machine, objective));
  if (graphs.empty()) fail_usage("there is nothing to learn from: name it with --data");
  ThreadPool pool(request.threads);
  pool.for_each(graphs.size(), [&](std::size_t, std::size_t i) {
    graphs[i]->standard = graphs[i]->best = standard_value(*graphs[i]);
  });
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
