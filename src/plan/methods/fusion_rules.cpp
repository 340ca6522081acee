#include <algorithm>

#include "plan/fuse/group_forest.h"
#include "plan/fuse/grouping.h"
#include "plan/fuse/inliner.h"
#include "plan/fuse/priority_fusion.h"
#include "plan/fuse/priority_merging.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// Groups made by a rule, from nothing but the graph and where its operations run.
class FusionRule final : public Optimizer {
 public:
  /// Merges groups of the forest, if the rule does so, and says which operations their readers compute.
  using Choose = std::vector<std::uint8_t> (*)(const Problem&, const FusionGraph&, const Plan&, GroupForest&);

  explicit FusionRule(Choose choose) : choose_(choose) {}

  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    if (!search.task().decides_groups()) return;
    const Plan alone = by_operation(search.best_plan(), search.problem().workload);
    const FusionGraph graph(search.problem());
    GroupForest forest(graph);
    Inliner inliner(graph);
    inliner.inline_into(forest, choose_(search.problem(), graph, alone, forest));
    Plan plan = alone;
    GroupWriter().write(inliner.grouping(), plan);
    search.evaluate(search.task().encode(plan));
  }

  static OptimizerKind kind(std::string_view name, std::string_view summary, Choose choose) {
    const auto make = [choose](std::string_view text) -> std::unique_ptr<Optimizer> {
      Parameters().parse(text);
      return std::make_unique<FusionRule>(choose);
    };
    return OptimizerKind(name, summary, make);
  }

 private:
  Choose choose_;
};

const OptimizerKind none_kind = FusionRule::kind("fuse-none", "every operation a kernel of its own",
                                                 [](const Problem&, const FusionGraph& graph, const Plan&,
                                                    GroupForest&) { return std::vector<std::uint8_t>(graph.size()); });

const OptimizerKind all_kind =
    FusionRule::kind("fuse-all", "operations computed by their readers wherever that may be",
                     [](const Problem&, const FusionGraph& graph, const Plan&, GroupForest&) {
                       return std::vector<std::uint8_t>(graph.size(), 1);
                     });

const OptimizerKind topological_kind = FusionRule::kind(
    "fuse-topological", "operations merged with their readers wherever that may be, in topological order",
    [](const Problem&, const FusionGraph& graph, const Plan&, GroupForest& forest) {
      for (const std::uint32_t operation : graph.order)
        for (const FusionGraph::Read& read : graph.readers[operation]) forest.merge(operation, read.operation);
      return std::vector<std::uint8_t>(graph.size());
    });

const OptimizerKind priority_kind =
    FusionRule::kind("fuse-priority", "what saves most time by the model of kernels first, as XLA does",
                     [](const Problem& problem, const FusionGraph& graph, const Plan& plan, GroupForest& forest) {
                       return PriorityFusion(problem, graph, plan, forest).run();
                     });

const OptimizerKind merging_kind = FusionRule::kind(
    "fuse-merging", "what saves most time as one kernel of several results first, then as fuse-priority",
    [](const Problem& problem, const FusionGraph& graph, const Plan& plan, GroupForest& forest) {
      PriorityMerging(problem, graph, plan).run(forest);
      return PriorityFusion(problem, graph, plan, forest).run();
    });

}  // namespace
}  // namespace hone
