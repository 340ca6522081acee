#include <algorithm>

#include "plan/tasks/fuse_task.h"

namespace hone {
namespace {

/// Yes or no for every operation that its readers may compute: with yes they do, all of them.
class FuseOperations final : public FuseTask {
 public:
  FuseOperations(const Problem& problem, const Plan&) : FuseTask(problem) {
    for (std::uint32_t i = 0; i < graph().size(); ++i) {
      if (graph().nodes[i].inlined != Refusal::none || !is_read_by_loops(i)) continue;
      relate(operations_.size(), OperationId(i));
      add_site({.field = PlanField::group, .entry = i, .options = 2});
      operations_.push_back(i);
    }
  }

  Decisions encode(const Plan& plan) const override {
    const std::vector<std::uint8_t> internal = computed_by_readers(problem().workload, plan);
    Decisions keys;
    for (const std::uint32_t operation : operations_) keys.push_back(key_of(internal[operation], 2));
    return keys;
  }

 private:
  /// All or nothing: a reader that runs alone leaves no choice.
  bool is_read_by_loops(std::uint32_t operation) const {
    return std::ranges::all_of(graph().readers[operation], [&](const FusionGraph::Read& read) {
      return graph().nodes[read.operation].kind != Loop::Kind::none;
    });
  }

  void decide(std::span<const float> keys, Workspace& workspace) const override {
    for (std::size_t i = 0; i < operations_.size(); ++i)
      workspace.wanted[operations_[i]] = static_cast<std::uint8_t>(option_of(keys[i], 2));
  }

  std::vector<std::uint32_t> operations_;  // by site
};

const TaskKind fuse_kind =
    TaskKind::without_parameters<FuseOperations>("fuse", "which operations are computed by those that read them");

}  // namespace
}  // namespace hone
