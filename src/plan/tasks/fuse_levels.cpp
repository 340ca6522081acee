#include <algorithm>

#include "plan/tasks/fuse_task.h"

namespace hone {
namespace {

struct LevelParameters {
  std::int64_t levels = 4;

  Parameters list() {
    return Parameters().add("levels", &levels, {2, 256}, "of priority; at the lowest nothing is fused");
  }
};

/// A level of priority for every operation that shares a loop with one that reads it. From the highest level down every
/// operation is merged with all its readers, one after another; what is still alone then is computed by its readers.
/// Operations of the lowest level stay as they are.
class FuseLevels final : public FuseTask {
 public:
  FuseLevels(const LevelParameters& chosen, const Problem& problem, const Plan&)
      : FuseTask(problem), levels_(static_cast<std::uint32_t>(chosen.levels)) {
    for (const std::uint32_t operation : graph().order) {
      if (graph().nodes[operation].kind == Loop::Kind::none || !is_read_by_a_loop(operation)) continue;
      relate(operations_.size(), OperationId(operation));
      add_site({.field = PlanField::group, .entry = operation, .options = levels_});
      operations_.push_back(operation);
    }
  }

  Decisions encode(const Plan& plan) const override {
    const std::vector<std::uint8_t> internal = computed_by_readers(problem().workload, plan);
    Decisions keys;
    for (const std::uint32_t operation : operations_) {
      const bool joins = std::ranges::any_of(graph().readers[operation], [&](const FusionGraph::Read& read) {
        return plan.group(OperationId(read.operation)) == plan.group(OperationId(operation));
      });
      keys.push_back(key_of(joins || internal[operation] != 0 ? levels_ - 1 : 0, levels_));
    }
    return keys;
  }

 private:
  bool is_read_by_a_loop(std::uint32_t operation) const {
    return std::ranges::any_of(graph().readers[operation], [&](const FusionGraph::Read& read) {
      return graph().nodes[read.operation].kind != Loop::Kind::none;
    });
  }

  void decide(std::span<const float> keys, Workspace& workspace) const override {
    workspace.queue.clear();
    for (std::uint32_t site = 0; site < operations_.size(); ++site) {
      const std::uint32_t level = option_of(keys[site], levels_);
      workspace.wanted[operations_[site]] = level > 0 ? 1 : 0;
      if (level > 0) workspace.queue.push_back(std::uint64_t{levels_ - level} << 32 | site);
    }
    std::ranges::sort(workspace.queue);
    for (const std::uint64_t entry : workspace.queue) {
      const std::uint32_t operation = operations_[static_cast<std::uint32_t>(entry)];
      for (const FusionGraph::Read& read : graph().readers[operation])
        if (read.access != Access::other) workspace.forest.merge(operation, read.operation);
    }
  }

  std::uint32_t levels_;
  std::vector<std::uint32_t> operations_;  // by site, in topological order
};

const TaskKind fuse_levels_kind = TaskKind::with_parameters<FuseLevels, LevelParameters>(
    "fuse-levels", "in which order operations are merged with those that read them");

}  // namespace
}  // namespace hone
