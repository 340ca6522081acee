#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "plan/fuse/fusion_graph.h"
#include "plan/fuse/group_forest.h"
#include "plan/fuse/grouping.h"
#include "plan/fuse/inliner.h"
#include "plan/search/task.h"

namespace hone {

/// Base of the tasks that decide which operations share a kernel. Whatever the decisions, the groups are legal.
class FuseTask : public Task {
 public:
  explicit FuseTask(const Problem& problem) : problem_(problem), graph_(problem) {}

  bool decides_groups() const final { return true; }
  void apply(std::span<const float> keys, Plan& plan) const final;

 protected:
  /// What one thread works in.
  struct Workspace {
    explicit Workspace(const FusionGraph& graph) : forest(graph), inliner(graph), wanted(graph.size()) {}

    GroupForest forest;
    Inliner inliner;
    GroupWriter writer;
    std::vector<std::uint8_t> wanted;  // by operation: to be computed by its readers
    std::vector<std::uint64_t> queue;  // of what is merged, best first
  };

  /// Merges groups of the workspace, all operations being alone, and says what else is wanted.
  virtual void decide(std::span<const float> keys, Workspace& workspace) const = 0;

  const FusionGraph& graph() const { return graph_; }
  const Problem& problem() const { return problem_; }

 private:
  const Problem& problem_;
  FusionGraph graph_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace hone
