#include "bench/learned_kernel_cost.h"

#include <algorithm>
#include <cmath>

#include "bench/graph_set.h"
#include "plan/problem/group_kernels.h"
#include "plan/search/search.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr std::string_view kKernelForm = "fuse-edges";
constexpr std::size_t kRandomPlans = 4;   // of each graph that is learned from
constexpr double kRidge = 1e-6;           // as a share of the mean of the diagonal
constexpr std::uint64_t kAnnealings = 4;  // each from a seed of its own

using Counts = LearnedKernelCost::Counts;

/// Seconds of arithmetic, of what is read, stored and kept inside, and of launches.
Counts counts_of(const Workload& workload, const OperationTimes& times, const KernelView& kernel) {
  Counts counts{};
  std::vector<BufferId> read;
  for (const OperationId each : kernel.instances) {
    const OperationTime& time = times.at(each, 0);
    const bool contracts = workload.operation(each).loop.kind == Loop::Kind::contraction;
    counts[0] = std::max(counts[0], time.launch_seconds);
    counts[contracts ? 1 : 2] += time.compute_seconds;
    counts[6] += time.launch_seconds;
    for (const BufferId input : workload.inputs(each)) {
      if (std::ranges::find(read, input) != read.end()) continue;
      read.push_back(input);
      const OperationId maker = workload.buffer(input).producer;
      const bool is_inside = std::ranges::find(kernel.instances, maker) != kernel.instances.end();
      counts[is_inside ? 5 : 3] += workload.buffer(input).bytes * time.seconds_per_byte;
    }
    for (const BufferId output : workload.outputs(each))
      if (std::ranges::find(kernel.stored, output) != kernel.stored.end())
        counts[4] += workload.buffer(output).bytes * time.seconds_per_byte;
  }
  return counts;
}

/// A kernel that is learned from.
struct TimedCounts {
  Counts counts;
  double seconds = 0;
};

std::vector<Plan> plans_to_learn_from(const Problem& problem) {
  std::vector<Plan> plans{
      solve(problem, kKernelForm, "fuse-priority", {.budget = {.evaluations = 2}, .show_progress = false}).plan};
  const std::unique_ptr<Task> task = make_task(problem, kKernelForm, undecided_plan(problem));
  Rng rng(1);
  Decisions row(task->sites().size());
  for (std::size_t i = 0; i < kRandomPlans; ++i) {
    for (float& key : row) key = static_cast<float>(rng.uniform());
    task->apply(row, plans.emplace_back(undecided_plan(problem)));
  }
  return plans;
}

std::vector<TimedCounts> kernels_to_learn_from(const Problem& problem) {
  std::vector<TimedCounts> kernels;
  const OperationTimes times(problem.workload, problem.machine);
  GroupTimer timer(problem.workload, problem.machine);
  for (const Plan& plan : plans_to_learn_from(problem))
    for_each_kernel(problem.workload, plan, [&](const GroupContents&, GroupId, const KernelView& kernel) {
      const double seconds = timer.seconds(kernel, 0);
      if (seconds > 0) kernels.push_back({counts_of(problem.workload, times, kernel), seconds});
    });
  return kernels;
}

/// Normal equations, the right side as the last column.
using Equations = std::array<std::array<double, LearnedKernelCost::kCounts + 1>, LearnedKernelCost::kCounts>;

/// By elimination; the matrix is positive definite, so that no pivot has to be looked for.
Counts solution_of(Equations equations) {
  constexpr std::size_t kCount = LearnedKernelCost::kCounts;
  for (std::size_t i = 0; i < kCount; ++i)
    for (std::size_t j = i + 1; j < kCount; ++j) {
      const double factor = equations[j][i] / equations[i][i];
      for (std::size_t k = i; k <= kCount; ++k) equations[j][k] -= factor * equations[i][k];
    }
  Counts solution{};
  for (std::size_t i = kCount; i-- > 0;) {
    double rest = equations[i][kCount];
    for (std::size_t k = i + 1; k < kCount; ++k) rest -= equations[i][k] * solution[k];
    solution[i] = rest / equations[i][i];
  }
  return solution;
}

Equations equations_of(std::span<const TimedCounts> kernels) {
  constexpr std::size_t kCount = LearnedKernelCost::kCounts;
  Equations equations{};
  double diagonal = 0;
  for (const TimedCounts& kernel : kernels)
    for (std::size_t i = 0; i < kCount; ++i) {
      const double share = kernel.counts[i] / kernel.seconds;
      for (std::size_t j = 0; j < kCount; ++j) equations[i][j] += share * kernel.counts[j] / kernel.seconds;
      equations[i][kCount] += share;
      diagonal += share * share / kCount;
    }
  for (std::size_t i = 0; i < kCount; ++i) equations[i][i] += kRidge * diagonal;
  return equations;
}

}  // namespace

LearnedKernelCost::LearnedKernelCost(const std::vector<std::string>& graphs, const Machine& machine) {
  std::vector<TimedCounts> kernels;
  for (const NamedGraph& graph : load_graphs(graphs)) {
    const Problem problem{.workload = graph.workload, .machine = machine, .objective = Objective::seconds};
    std::ranges::move(kernels_to_learn_from(problem), std::back_inserter(kernels));
  }
  weights_ = solution_of(equations_of(kernels));
  const auto near = std::ranges::count_if(kernels, [this](const TimedCounts& kernel) {
    return std::abs(seconds(kernel.counts) / kernel.seconds - 1) < 0.1;
  });
  within_tenth_ = static_cast<double>(near) / static_cast<double>(kernels.size());
}

double LearnedKernelCost::seconds(const Counts& counts) const {
  double sum = 0;
  for (std::size_t i = 0; i < kCounts; ++i) sum += weights_[i] * counts[i];
  return std::max(sum, 0.0);
}

LearnedCost::LearnedCost(const Problem& problem, const LearnedKernelCost& model)
    : problem_(problem), model_(model), times_(problem.workload, problem.machine) {}

Cost LearnedCost::evaluate(const Plan& plan) {
  Cost cost;
  for_each_kernel(problem_.workload, plan, [&](const GroupContents&, GroupId, const KernelView& kernel) {
    cost.seconds += model_.seconds(counts_of(problem_.workload, times_, kernel));
  });
  return cost;
}

void AnnealOnModel::run(Search& search) {
  const LearnedCost cost(search.problem(), model_);
  const Decisions start = search.task().encode(search.best_plan());
  Plan first = search.start();
  search.task().apply(start, first);
  for (std::uint64_t i = 0; i < kAnnealings && !search.spent(); ++i) {
    Search on_model(
        search.problem(), search.task(), cost, first,
        {.budget = {.evaluations = evaluations_}, .seed = search.rng().split(i).next(), .show_progress = false});
    make_optimizer("anneal")->run(on_model);
    search.evaluate(search.task().encode(on_model.best_plan()));
  }
}

}  // namespace hone
