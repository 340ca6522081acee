#include "plan/fuse/explain_fusion.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

#include "plan/fuse/regroup.h"
#include "plan/problem/group_contents.h"
#include "plan/problem/group_time.h"

namespace hone {
namespace {

/// The shortest way along reads, both ends included; empty when there is none.
std::vector<OperationId> shortest_way(const FusionGraph& graph, OperationId from, OperationId to) {
  constexpr std::uint32_t kUnseen = UINT32_MAX;
  std::vector<std::uint32_t> reached_from(graph.size(), kUnseen), queue{from.index()};
  reached_from[from.index()] = from.index();
  for (std::size_t next = 0; next < queue.size() && reached_from[to.index()] == kUnseen; ++next)
    for (const FusionGraph::Read& read : graph.readers[queue[next]]) {
      if (reached_from[read.operation] != kUnseen) continue;
      reached_from[read.operation] = queue[next];
      queue.push_back(read.operation);
    }
  if (reached_from[to.index()] == kUnseen) return {};
  std::vector<OperationId> way{to};
  while (way.back() != from) way.emplace_back(reached_from[way.back().index()]);
  std::ranges::reverse(way);
  return way;
}

/// Of what a group reads, something that waits for the group itself; none when nothing does.
OperationId waiting_for_itself(const Workload& workload, const Plan& plan, GroupId group) {
  const GroupContents contents(workload, plan);
  std::vector<std::uint8_t> waits(contents.group_count());
  std::vector<GroupId> queue{group};
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const BufferId buffer : contents.stores(queue[next]))
      for (const GroupId reader : contents.readers(buffer)) {
        if (waits[reader.index()] != 0) continue;
        waits[reader.index()] = 1;
        queue.push_back(reader);
      }
  for (const BufferId buffer : contents.reads(group)) {
    const OperationId producer = workload.buffer(buffer).producer;
    if (producer.valid() && waits[plan.group(producer).index()] != 0) return producer;
  }
  return {};
}

/// The kernels of a plan, each by what makes its time.
class Kernels {
 public:
  using Kernel = std::tuple<std::size_t, std::vector<OperationId>, std::vector<BufferId>>;  // kind, instances, stored

  Kernels(const Problem& problem, const Plan& plan, GroupTimer& timer) {
    const GroupContents contents(problem.workload, plan);
    for (std::size_t i = 0; i < contents.group_count(); ++i) {
      const std::span<const OperationId> instances = contents.instances(GroupId(i));
      const std::size_t kind = problem.machine.device(plan.device_of[i]).kind;
      const std::vector<BufferId> stored = contents.stores(GroupId(i));
      seconds_[{kind, {instances.begin(), instances.end()}, stored}] =
          timer.seconds({.instances = instances, .stored = stored}, kind);
    }
  }

  struct Sum {
    std::size_t kernels = 0;
    double seconds = 0;
  };
  /// Of those that other plans do not have.
  Sum beyond(const Kernels& others) const {
    Sum sum;
    for (const auto& [kernel, seconds] : seconds_) {
      if (others.seconds_.contains(kernel)) continue;
      ++sum.kernels;
      sum.seconds += seconds;
    }
    return sum;
  }

 private:
  std::map<Kernel, double> seconds_;
};

/// Answers about one plan.
class Explainer {
 public:
  Explainer(const Problem& problem, const Plan& plan)
      : problem_(problem),
        plan_(plan),
        graph_(problem),
        contents_(problem.workload, plan),
        timer_(problem.workload, problem.machine) {}

  FusionExplanation explain(OperationId one, OperationId other) {
    FusionExplanation found{.first = one, .second = other, .way = shortest_way(graph_, one, other)};
    if (found.way.empty()) {
      found.way = shortest_way(graph_, other, one);
      if (!found.way.empty()) std::swap(found.first, found.second);
    }
    for (std::size_t i = 0; i < contents_.group_count(); ++i)
      if (contents_.runs(GroupId(i), one) && contents_.runs(GroupId(i), other))
        found.shared.push_back(shared_kernel(GroupId(i), found));
    if (found.shared.empty() && !found.way.empty()) explain_apart(found);
    return found;
  }

 private:
  SharedKernel shared_kernel(GroupId group, const FusionExplanation& found) {
    const std::size_t kind = problem_.machine.device(plan_.device_of[group.index()]).kind;
    const std::vector<BufferId> stored = contents_.stores(group);
    SharedKernel kernel{.group = group,
                        .has_copy_of_first = plan_.group(found.first) != group,
                        .has_copy_of_second = plan_.group(found.second) != group,
                        .seconds = timer_.seconds({.instances = contents_.instances(group), .stored = stored}, kind)};
    for (const OperationId operation : contents_.instances(group)) {
      const std::span<const BufferId> outputs = problem_.workload.outputs(operation);
      kernel.seconds_apart += timer_.seconds({.instances = {&operation, 1}, .stored = outputs}, kind);
      for (const BufferId output : outputs)
        if (std::ranges::find(stored, output) == stored.end())
          kernel.kept_bytes += problem_.workload.buffer(output).bytes;
    }
    return kernel;
  }

  void explain_apart(FusionExplanation& found) {
    const GroupId host = plan_.group(found.second);
    std::size_t at = found.way.size() - 1;
    while (contents_.runs(host, found.way[at - 1])) --at;
    found.producer = found.way[at - 1];
    found.reader = found.way[at];
    if (plan_.device(found.producer) != plan_.device_of[host.index()]) return;
    const bool is_repeated = contents_.any_group_of(found.reader, [&](GroupId group) { return group != host; });
    if (!is_repeated) found.changes.push_back(merged(found.producer, host));
    found.changes.push_back(inlined(found.producer, host));
  }

  /// What becomes of the plan when an operation's group and another are one.
  FusionChange merged(OperationId operation, GroupId host) {
    FusionChange change{.way = FusionChange::Way::merged, .culprit = operation};
    const Plan wanted = with_one_group(plan_, host, plan_.group(operation));
    change.between = waiting_for_itself(problem_.workload, wanted, host);
    if (change.between.valid()) {
      change.refusal = Refusal::cycle;
      return change;
    }
    const auto is_one = [&](const Plan& plan) {
      const OperationId last = contents_.instances(host).back();
      return plan.group_count() == plan_.group_count() - 1 && plan.group(last) == plan.group(operation);
    };
    const Regrouped regrouped = regroup(problem_, graph_, wanted);
    if (is_one(regrouped.plan)) return compared(change, operation, regrouped.plan);
    note_refusal(change, regrouped, wanted);
    return change;
  }

  /// What becomes of the plan when all readers of an operation compute it.
  FusionChange inlined(OperationId operation, GroupId host) {
    FusionChange change{.way = FusionChange::Way::inlined, .culprit = operation};
    const OperationId last = contents_.instances(host).back();
    const Regrouped regrouped = regroup(problem_, graph_, plan_, operation);
    if (GroupContents(problem_.workload, regrouped.plan).runs(regrouped.plan.group(last), operation))
      return compared(change, operation, regrouped.plan);
    change.refusal = regrouped.refusals[operation.index()];
    return change;
  }

  /// Why the operation is not where it was wanted or, if it is, the last one of a group that is not.
  void note_refusal(FusionChange& change, const Regrouped& regrouped, const Plan& wanted) const {
    const GroupId group = wanted.group(change.culprit);
    for (const std::uint32_t operation : std::views::reverse(graph_.order)) {
      if (regrouped.refusals[change.culprit.index()] != Refusal::none) break;
      const bool is_refused = regrouped.refusals[operation] != Refusal::none;
      if (is_refused && wanted.group(OperationId(operation)) == group) change.culprit = OperationId(operation);
    }
    change.refusal = regrouped.refusals[change.culprit.index()];
  }

  /// With what it costs in place of a refusal.
  FusionChange compared(FusionChange change, OperationId operation, const Plan& then) {
    const Kernels now(problem_, plan_, timer_), after(problem_, then, timer_);
    const Kernels::Sum gone = now.beyond(after), come = after.beyond(now);
    change.refusal = Refusal::none;
    change.culprit = OperationId();
    change.kernels_now = gone.kernels;
    change.seconds_now = gone.seconds;
    change.kernels_then = come.kernels;
    change.seconds_then = come.seconds;
    GroupContents(problem_.workload, then).any_group_of(operation, [&](GroupId) {
      ++change.times_computed;
      return false;
    });
    return change;
  }

  const Problem& problem_;
  const Plan& plan_;
  FusionGraph graph_;
  GroupContents contents_;
  GroupTimer timer_;
};

}  // namespace

FusionExplanation explain_fusion(const Problem& problem, const Plan& plan, OperationId one, OperationId other) {
  return Explainer(problem, plan).explain(one, other);
}

}  // namespace hone
