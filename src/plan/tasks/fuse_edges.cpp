#include <algorithm>
#include <bit>

#include "plan/tasks/fuse_task.h"

namespace hone {
namespace {

/// A key for every read of one operation by another. Below a third the two stay apart. From two thirds on their groups
/// become one, those of high keys first. Between, the reader computes what it reads, if all other readers of the same
/// operation do, too.
class FuseEdges final : public FuseTask {
 public:
  FuseEdges(const Problem& problem, const Plan&) : FuseTask(problem) {
    for (std::uint32_t producer = 0; producer < graph().size(); ++producer) {
      first_.push_back(static_cast<std::uint32_t>(edges_.size()));
      if (graph().nodes[producer].kind == Loop::Kind::none) continue;
      for (const FusionGraph::Read& read : graph().readers[producer]) {
        if (graph().nodes[read.operation].kind == Loop::Kind::none) continue;
        const auto site = static_cast<std::uint32_t>(edges_.size());
        add_site({.field = PlanField::group, .entry = site});
        relate(site, OperationId(producer));
        relate(site, OperationId(read.operation));
        edges_.push_back({producer, read.operation, read.access != Access::other});
      }
    }
    first_.push_back(static_cast<std::uint32_t>(edges_.size()));
  }

  /// Kernels of one result are computed by readers. In others operations are merged where they are in step.
  Decisions encode(const Plan& plan) const override {
    const std::vector<std::uint8_t> internal = computed_by_readers(problem().workload, plan);
    std::vector<std::uint32_t> results(plan.group_count());
    for (std::uint32_t i = 0; i < graph().size(); ++i)
      if (internal[i] == 0) ++results[plan.group(OperationId(i)).index()];
    Decisions keys;
    for (const Edge& edge : edges_) {
      const GroupId group = plan.group(OperationId(edge.producer));
      const bool together = group == plan.group(OperationId(edge.reader));
      const bool merged = together && edge.in_step && results[group.index()] > 1;
      keys.push_back(key_of(merged ? 2 : internal[edge.producer] != 0 ? 1 : 0, 3));
    }
    return keys;
  }

 private:
  struct Edge {
    std::uint32_t producer = 0, reader = 0;
    bool in_step = false;
  };

  void decide(std::span<const float> keys, Workspace& workspace) const override {
    workspace.queue.clear();
    for (std::uint32_t producer = 0; producer < graph().size(); ++producer) {
      bool all = first_[producer + 1] - first_[producer] == graph().readers[producer].size();
      for (std::uint32_t site = first_[producer]; site < first_[producer + 1]; ++site) {
        const std::uint32_t option = option_of(keys[site], 3);
        all &= option > 0;
        if (option == 2 && edges_[site].in_step) workspace.queue.push_back(rank_of(keys[site], site));
      }
      workspace.wanted[producer] = all ? 1 : 0;
    }
    std::ranges::sort(workspace.queue);
    for (const std::uint64_t entry : workspace.queue) {
      const Edge& edge = edges_[static_cast<std::uint32_t>(entry)];
      workspace.forest.merge(edge.producer, edge.reader);
    }
  }

  /// Ascends as keys, none of which is negative, descend; equal keys by site.
  static std::uint64_t rank_of(float key, std::uint32_t site) {
    return std::uint64_t{~std::bit_cast<std::uint32_t>(key)} << 32 | site;
  }

  std::vector<Edge> edges_;           // by site
  std::vector<std::uint32_t> first_;  // by operation: the sites about reads of it
};

const TaskKind fuse_edges_kind = TaskKind::without_parameters<FuseEdges>(
    "fuse-edges", "which operations share a kernel with which of those that read them");

}  // namespace
}  // namespace hone
