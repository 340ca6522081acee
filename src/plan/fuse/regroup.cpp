#include "plan/fuse/regroup.h"

#include <algorithm>
#include <ranges>

#include "plan/fuse/group_forest.h"
#include "plan/fuse/grouping.h"
#include "plan/fuse/inliner.h"

namespace hone {
namespace {

/// By operation: whether it runs in several groups.
std::vector<std::uint8_t> repeated(const Workload& workload, const Plan& plan) {
  std::vector<std::uint8_t> repeated(workload.operation_count());
  for (const Plan::Copy& copy : plan.copies) repeated[copy.operation.index()] = 1;
  return repeated;
}

}  // namespace

Regrouped regroup(const Problem& problem, const FusionGraph& graph, const Plan& wanted, OperationId inlined) {
  GroupForest forest(graph);
  Inliner inliner(graph);
  const std::vector<std::uint8_t> internal = computed_by_readers(problem.workload, wanted);
  std::vector<std::uint8_t> by_readers = repeated(problem.workload, wanted);
  if (inlined.valid()) by_readers[inlined.index()] = 1;
  Regrouped result{.plan = by_operation(wanted, problem.workload), .refusals = std::vector<Refusal>(graph.size())};
  for (const std::uint32_t operation : std::views::reverse(graph.order)) {
    if (by_readers[operation] != 0) continue;
    bool joins = false;
    for (const FusionGraph::Read& read : graph.readers[operation]) {
      const bool together = wanted.group(OperationId(operation)) == wanted.group(OperationId(read.operation));
      if (!together) continue;
      // What is computed wherever it is read takes nobody along who has a place.
      const bool has_place = by_readers[read.operation] == 0;
      const Refusal refusal = has_place ? forest.merge(operation, read.operation) : Refusal::misaligned;
      if (refusal == Refusal::none) joins = true;
      else result.refusals[operation] = refusal;
    }
    by_readers[operation] = !joins && internal[operation] != 0 ? 1 : 0;
  }
  inliner.inline_into(forest, by_readers);
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (by_readers[i] != 0) result.refusals[i] = inliner.refusal(i);
  GroupWriter().write(inliner.grouping(), result.plan);
  return result;
}

Plan with_one_group(Plan plan, GroupId kept, GroupId gone) {
  std::ranges::replace(plan.group_of, gone, kept);
  for (Plan::Copy& copy : plan.copies)
    if (copy.group == gone) copy.group = kept;
  std::erase_if(plan.copies, [&](const Plan::Copy& copy) { return plan.group(copy.operation) == copy.group; });
  std::ranges::sort(plan.copies);
  plan.copies.erase(std::unique(plan.copies.begin(), plan.copies.end()), plan.copies.end());
  return plan;
}

}  // namespace hone
