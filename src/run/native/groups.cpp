#include "run/native/groups.h"

#include <algorithm>
#include <map>

#include "plan/fuse/inliner.h"
#include "plan/fuse/priority_fusion.h"
#include "plan/fuse/priority_merging.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/lower.h"

namespace hone::native {

NodeGroups single_groups(const Model& model) {
  NodeGroups groups;
  for (const NodeId id : operation_nodes(model.graph)) groups.push_back({.nodes = {id}, .copies = {}});
  return groups;
}

NodeGroups priority_groups(const Model& model) {
  const Problem problem{.workload = lower(model), .machine = load_machine("cpu-1"), .sharding = {}};
  const Plan plan = plan_on_one_device(problem.workload);
  const FusionGraph graph(problem);
  GroupForest forest(graph);
  PriorityMerging(problem, graph, plan).run(forest);
  Inliner inliner(graph);
  inliner.inline_into(forest, PriorityFusion(problem, graph, plan, forest).run());

  // A group runs when its last operation would, by which all that it reads is there.
  const std::vector<NodeId> nodes = operation_nodes(model.graph);
  const Grouping& grouping = inliner.grouping();
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;  // by operation that names a group
  for (std::uint32_t i = 0; i < nodes.size(); ++i) members[grouping.group_of[i]].push_back(i);
  std::map<std::uint32_t, std::uint32_t> last;
  for (const auto& [name, operations] : members) last[operations.back()] = name;
  NodeGroups groups;
  for (const auto& [position, name] : last) {
    std::vector<std::uint32_t> operations = members[name];
    NodeGroup group;
    for (const Grouping::Copy& copy : grouping.copies)
      if (grouping.group_of[copy.group] == name) {
        operations.push_back(copy.operation);
        group.copies.push_back(nodes[copy.operation]);
      }
    std::ranges::sort(operations);
    for (const std::uint32_t operation : operations) group.nodes.push_back(nodes[operation]);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace hone::native
