#include "run/verify/rounding_study.h"

#include <algorithm>

#include "base/error.h"
#include "base/timer.h"
#include "graph/ops/cost_context.h"
#include "run/reference/reference.h"
#include "run/verify/memory_need.h"
#include "run/verify/perturb.h"

namespace hone {
namespace {

// Counted in operations, so that what is decided is the same on every machine.
constexpr double kMostOperations = 6e10;   // of one run; some ten seconds in double precision
constexpr double kUsualOperations = 3e10;  // of all runs together, if one with weights moved is not to be all
constexpr std::size_t kMostMovedRuns = 4;
// A run in double precision takes twice the memory, beside the model as it is and one with its weights moved.
constexpr std::size_t kModelsAtOnce = 4;

/// Arithmetic of one run, and the movement of data, which takes its time as well.
double operations_of(const Model& model) {
  double total = 0;
  for (const NodeId id : model.graph.nodes())
    if (const std::optional<NodeCost> cost = node_cost(model.graph, id, model.opsets))
      total += cost->flops + cost->bytes;
  return total;
}

/// How to run.
struct StudyRuns {
  std::uint64_t seed = 0;
  std::size_t moved = 0;  // how many times with inputs and weights moved
};

/// Adds runs with inputs and weights moved.
void add_moved_runs(Movement& movement, const Model& model, std::span<const Datum> inputs, const StudyRuns& runs) {
  for (std::size_t run = 0; run < runs.moved; ++run) {
    const Rng rng = Rng(runs.seed).split(run);
    const Model moved = with_weights_moved(model, rng);
    movement.add(
        ReferenceInterpreter(moved, runs.seed, Precision::doubled).run(moved_by_a_unit(inputs, rng.split(runs.moved))));
  }
}

}  // namespace

RoundingStudy study_rounding(const Model& model, std::span<const std::vector<Datum>> inputs, std::uint64_t seed) {
  const double operations = operations_of(model) * static_cast<double>(inputs.size());
  if (operations > kMostOperations)
    return {.movements = {}, .obstacle = fmt::format("runs in double precision take {:.1e} operations", operations)};
  if (models_that_fit(model) < kModelsAtOnce)
    return {.movements = {}, .obstacle = "runs in double precision would take over half of the machine's memory"};
  const double moved_runs = kUsualOperations / std::max(operations, 1.0) - 1;
  const StudyRuns how{
      .seed = seed,
      .moved = static_cast<std::size_t>(std::clamp(moved_runs, 1.0, static_cast<double>(kMostMovedRuns)))};
  RoundingStudy study;
  try {
    for (const std::vector<Datum>& each : inputs) {
      const Timer timer;
      Movement& movement =
          study.movements.emplace_back(ReferenceInterpreter(model, seed, Precision::doubled).run(each));
      study.exact_seconds += timer.seconds();
      add_moved_runs(movement, model, each, how);
    }
  } catch (const InputError& error) {
    study = {.movements = {}, .obstacle = fmt::format("it does not run in double precision: {}", error.what())};
  }
  return study;
}

}  // namespace hone
