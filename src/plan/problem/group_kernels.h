#pragma once

#include "plan/problem/group_contents.h"
#include "plan/problem/group_time.h"

namespace hone {

/// Calls visit(contents, group, kernel) for every group of a plan.
template <class Visit>
void for_each_kernel(const Workload& workload, const Plan& plan, const Visit& visit) {
  const GroupContents contents(workload, plan);
  for (std::size_t i = 0; i < contents.group_count(); ++i) {
    const std::vector<BufferId> stored = contents.stores(GroupId(i));
    visit(contents, GroupId(i), KernelView{.instances = contents.instances(GroupId(i)), .stored = stored});
  }
}

}  // namespace hone
