#include "run/native/groups.h"

#include <algorithm>
#include <set>

#include "plan/problem/group_contents.h"
#include "plan/problem/lower.h"
#include "plan/simulate/simulator.h"

namespace hone::native {
namespace {

/// By group: how many start before it.
std::vector<std::size_t> starts_of(const Problem& problem, const Plan& plan) {
  Simulator simulator(std::make_shared<SimulatorTables>(problem.workload, problem.machine));
  const Timeline timeline = simulator.trace(plan);
  HONE_CHECK(timeline.runs.size() == plan.group_count(), "a plan comes to a stop");
  std::vector<std::size_t> start(plan.group_count());
  for (std::size_t i = 0; i < timeline.runs.size(); ++i) start[timeline.runs[i].group.index()] = i;
  return start;
}

/// What a group waits for, and what waits for it.
struct GroupWaits {
  std::vector<std::set<std::size_t>> before, after;  // by group

  GroupWaits(const Graph& graph, const NodeGroups& groups) : before(groups.size()), after(groups.size()) {
    std::map<NodeId, std::size_t> home;  // of every node, where it is no copy
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (const NodeId id : groups[i].nodes)
        if (std::ranges::count(groups[i].copies, id) == 0) home[id] = i;
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (const NodeId id : groups[i].nodes)
        for (const ValueId input : graph.node(id).inputs) {
          const NodeId producer = input.valid() ? graph.value(input).producer : NodeId();
          if (!producer.valid() || !home.contains(producer) || std::ranges::count(groups[i].nodes, producer) > 0)
            continue;
          before[i].insert(home.at(producer));
          after[home.at(producer)].insert(i);
        }
  }
};

/// By their starts, as far as what they read allows: what takes no time starts when its readers do.
NodeGroups in_order(const Graph& graph, NodeGroups groups, const std::vector<std::size_t>& start) {
  GroupWaits waits(graph, groups);
  std::set<std::pair<std::size_t, std::size_t>> ready;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (waits.before[i].empty()) ready.emplace(start[i], i);
  NodeGroups ordered;
  while (!ready.empty()) {
    const std::size_t group = ready.begin()->second;
    ready.erase(ready.begin());
    for (const std::size_t reader : waits.after[group])
      if (waits.before[reader].erase(group) > 0 && waits.before[reader].empty()) ready.emplace(start[reader], reader);
    ordered.push_back(std::move(groups[group]));
  }
  HONE_CHECK(ordered.size() == start.size(), "groups wait for one another");
  return ordered;
}

}  // namespace

NodeGroups single_groups(const Model& model) {
  NodeGroups groups;
  for (const NodeId id : operation_nodes(model.graph)) groups.push_back({.nodes = {id}});
  return groups;
}

NodeGroups groups_of_plan(const Graph& graph, const Problem& problem, const Plan& plan) {
  const std::vector<NodeId> nodes = operation_nodes(graph);
  const GroupContents contents(problem.workload, plan);
  NodeGroups groups(plan.group_count());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const OperationId operation : contents.instances(GroupId(i))) {
      groups[i].nodes.push_back(nodes[operation.index()]);
      if (plan.group(operation) != GroupId(i)) groups[i].copies.push_back(nodes[operation.index()]);
    }
    groups[i].number = GroupId(i);
    groups[i].lane = plan.device_of[i].index();
  }
  return in_order(graph, std::move(groups), starts_of(problem, plan));
}

void replace_nodes(NodeGroups& groups, const std::map<NodeId, std::vector<NodeId>>& replaced) {
  const auto replace_in = [&](std::vector<NodeId>& nodes) {
    std::vector<NodeId> now;
    for (const NodeId id : nodes) {
      const auto found = replaced.find(id);
      if (found == replaced.end()) now.push_back(id);
      else now.insert(now.end(), found->second.begin(), found->second.end());
    }
    nodes = std::move(now);
  };
  for (NodeGroup& group : groups) {
    replace_in(group.nodes);
    replace_in(group.copies);
  }
}

}  // namespace hone::native
