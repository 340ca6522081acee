#include "run/native/groups.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/ir/order.h"
#include "plan/fuse/inliner.h"
#include "plan/fuse/priority_fusion.h"
#include "plan/fuse/priority_merging.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/lower.h"
#include "run/native/attention.h"

namespace hone::native {
namespace {

/// Nodes of every group and groups themselves in an order in which whatever is read comes first; of groups that might
/// run, the one whose last node comes first.
NodeGroups in_order(const Graph& graph, NodeGroups groups) {
  std::vector<std::uint32_t> position(graph.node_slots(), 0);
  std::uint32_t next = 0;
  for (const NodeId id : topological_order(graph)) position[id.index()] = next++;
  std::map<NodeId, std::size_t> home;  // of every node, where it is no copy
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::ranges::sort(groups[i].nodes, {}, [&](NodeId id) { return position[id.index()]; });
    for (const NodeId id : groups[i].nodes)
      if (std::ranges::count(groups[i].copies, id) == 0) home[id] = i;
  }
  std::vector<std::set<std::size_t>> waits(groups.size()), readers(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const NodeId id : groups[i].nodes)
      for (const ValueId input : graph.node(id).inputs) {
        const NodeId producer = input.valid() ? graph.value(input).producer : NodeId();
        if (!producer.valid() || !home.contains(producer) || std::ranges::count(groups[i].nodes, producer) > 0)
          continue;
        waits[i].insert(home.at(producer));
        readers[home.at(producer)].insert(i);
      }
  std::set<std::pair<std::uint32_t, std::size_t>> ready;
  const auto add_ready = [&](std::size_t i) { ready.emplace(position[groups[i].nodes.back().index()], i); };
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (waits[i].empty()) add_ready(i);
  NodeGroups ordered;
  while (!ready.empty()) {
    const std::size_t group = ready.begin()->second;
    ready.erase(ready.begin());
    for (const std::size_t reader : readers[group])
      if (waits[reader].erase(group) > 0 && waits[reader].empty()) add_ready(reader);
    ordered.push_back(std::move(groups[group]));
  }
  HONE_CHECK(ordered.size() == groups.size(), "groups wait for one another");
  return ordered;
}

}  // namespace

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

  const std::vector<NodeId> nodes = operation_nodes(model.graph);
  const Grouping& grouping = inliner.grouping();
  std::map<std::uint32_t, NodeGroup> groups;  // by operation that names one
  for (std::uint32_t i = 0; i < nodes.size(); ++i) groups[grouping.group_of[i]].nodes.push_back(nodes[i]);
  for (const Grouping::Copy& copy : grouping.copies) {
    NodeGroup& group = groups[grouping.group_of[copy.group]];
    group.nodes.push_back(nodes[copy.operation]);
    group.copies.push_back(nodes[copy.operation]);
  }
  NodeGroups found;
  for (auto& [name, group] : groups) found.push_back(std::move(group));
  return with_attention_together(model, in_order(model.graph, std::move(found)));
}

}  // namespace hone::native
