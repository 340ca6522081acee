#include "plan/tasks/fuse_task.h"

#include <algorithm>

namespace hone {

void FuseTask::apply(std::span<const float> keys, Plan& plan) const {
  std::unique_ptr<Workspace> workspace;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      workspace = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!workspace) workspace = std::make_unique<Workspace>(graph_);
  workspace->forest.reset();
  std::ranges::fill(workspace->wanted, 0);
  decide(keys, *workspace);
  workspace->inliner.inline_into(workspace->forest, workspace->wanted);
  workspace->writer.write(workspace->inliner.grouping(), plan);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

}  // namespace hone
