#include "plan/methods/fusion_rules.h"

#include <algorithm>

#include "plan/fuse/group_forest.h"
#include "plan/fuse/grouping.h"
#include "plan/fuse/inliner.h"
#include "plan/fuse/priority_fusion.h"
#include "plan/fuse/priority_merging.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// Operations of different devices must not be together, as if their source had said so.
void keep_apart(FusionGraph& graph, const Plan& plan, std::size_t devices) {
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    graph.nodes[i].colocate =
        static_cast<std::uint32_t>(graph.nodes[i].colocate * devices + 1 + plan.device(OperationId(i)).index());
}

/// Merges groups of the forest, if the rule does so, and says which operations their readers compute.
std::vector<std::uint8_t> choose(FusionRule rule, const Problem& problem, const FusionGraph& graph, const Plan& plan,
                                 GroupForest& forest) {
  switch (rule) {
    case FusionRule::none: break;
    case FusionRule::all: return std::vector<std::uint8_t>(graph.size(), 1);
    case FusionRule::topological:
      for (const std::uint32_t operation : graph.order)
        for (const FusionGraph::Read& read : graph.readers[operation]) forest.merge(operation, read.operation);
      break;
    case FusionRule::merging: PriorityMerging(problem, graph, plan).run(forest); [[fallthrough]];
    case FusionRule::priority: return PriorityFusion(problem, graph, plan, forest).run();
  }
  return std::vector<std::uint8_t>(graph.size());
}

/// The best plan so far with the kernels of a rule.
template <FusionRule rule>
class RuleOfFusion final : public Optimizer {
 public:
  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    if (!search.task().decides_groups()) return;
    search.evaluate(search.task().encode(fused_by(rule, search.problem(), search.best_plan())));
  }

  static OptimizerKind kind(std::string_view name, std::string_view summary) {
    return OptimizerKind::without_parameters<RuleOfFusion>(name, summary);
  }
};

const OptimizerKind none_kind =
    RuleOfFusion<FusionRule::none>::kind("fuse-none", "every operation a kernel of its own");
const OptimizerKind all_kind =
    RuleOfFusion<FusionRule::all>::kind("fuse-all", "operations computed by their readers wherever that may be");
const OptimizerKind topological_kind = RuleOfFusion<FusionRule::topological>::kind(
    "fuse-topological", "operations merged with their readers wherever that may be, in topological order");
const OptimizerKind priority_kind = RuleOfFusion<FusionRule::priority>::kind(
    "fuse-priority", "what saves most time by the model of kernels first, as XLA does");
const OptimizerKind merging_kind = RuleOfFusion<FusionRule::merging>::kind(
    "fuse-merging", "what saves most time as one kernel of several results first, then as fuse-priority");

}  // namespace

Plan fused_by(FusionRule rule, const Problem& problem, const Plan& plan, AcrossDevices across) {
  Plan fused = by_operation(plan, problem.workload);
  FusionGraph graph(problem);
  if (across == AcrossDevices::never) keep_apart(graph, fused, problem.machine.device_count());
  GroupForest forest(graph);
  Inliner inliner(graph);
  inliner.inline_into(forest, choose(rule, problem, graph, fused, forest));
  GroupWriter().write(inliner.grouping(), fused);
  return fused;
}

}  // namespace hone
