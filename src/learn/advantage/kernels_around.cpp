#include "learn/advantage/kernels_around.h"

#include <algorithm>

#include "base/hash.h"
#include "plan/fuse/grouping.h"

namespace hone {
namespace {

bool holds(std::span<const OperationId> operations, OperationId operation) {
  return std::ranges::find(operations, operation) != operations.end();
}

}  // namespace

KernelsAround::KernelsAround(const Problem& problem)
    : problem_(problem),
      graph_(problem),
      times_(problem.workload, problem.machine),
      plan_(undecided_plan(problem)),
      cost_(problem, graph_, plan_) {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const OperationId operation(i);
    alone_.push_back(seconds_of(std::span(&operation, 1), {}));
  }
}

const OperationTime& KernelsAround::time(OperationId operation) const {
  return times_.at(operation, problem_.machine.device(plan_.device(operation)).kind);
}

void KernelsAround::set(const Plan& plan) {
  plan_ = plan;
  contents_.emplace(problem_.workload, plan_);
  inlined_ = computed_by_readers(problem_.workload, plan_);
  groups_.clear();
  auto copy = plan_.copies.begin();
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    groups_.add(plan_.group(OperationId(i)));
    for (; copy != plan_.copies.end() && copy->operation.index() == i; ++copy) groups_.add(copy->group);
    groups_.end_list();
  }
  kernels_.clear();
  for (std::size_t i = 0; i < plan_.group_count(); ++i) kernels_.push_back(measured(GroupId(i)));
}

/// All that decides it: what it computes, what of that others compute too, and where.
const KernelsAround::Kernel& KernelsAround::measured(GroupId group) {
  std::uint64_t key = plan_.device_of[group.index()].index();
  for (const OperationId each : contents_->instances(group))
    key = mix(key, std::uint64_t{each.index()} << 1 | inlined_[each.index()]);
  const auto [place, is_new] = known_.try_emplace(key);
  if (is_new) place->second = measure(group);
  return place->second;
}

KernelsAround::Kernel KernelsAround::measure(GroupId group) {
  Kernel kernel;
  const std::span<const OperationId> instances = contents_->instances(group);
  KernelShape& shape = kernel.shape;
  shape.operations = static_cast<std::uint32_t>(instances.size());
  for (const OperationId each : instances) {
    const KernelShape own = kernel_of(graph_.nodes[each.index()]);
    shape.points = std::max(shape.points, own.points);
    shape.rows = std::max(shape.rows, own.rows);
    shape.element_bytes = std::max(shape.element_bytes, own.element_bytes);
    shape.has_contraction |= own.has_contraction;
    shape.has_rows |= own.has_rows;
    shape.has_columns |= own.has_columns;
    shape.spreads |= own.spreads;
    shape.reads += graph_.nodes[each.index()].inputs;
    for (const FusionGraph::Read& read : graph_.producers[each.index()])
      if (contents_->runs(group, OperationId(read.operation))) --shape.reads;
    if (inlined_[each.index()] == 0) ++kernel.stored;
    const OperationTime& cost = time(each);
    kernel.compute_seconds += cost.compute_seconds;
    kernel.memory_seconds += problem_.workload.operation(each).bytes * cost.seconds_per_byte;
  }
  kernel.seconds = seconds_without(group, {});
  return kernel;
}

/// Results of `homes` are stored where somebody outside reads them, those of others never.
double KernelsAround::seconds_of(std::span<const OperationId> homes, std::span<const OperationId> others) {
  cost_.clear();
  for (const OperationId each : homes) cost_.add(each.index());
  const std::size_t count = cost_.operations().size();
  if (count == 0) return 0;
  for (const OperationId each : others) cost_.add(each.index());
  return cost_.seconds(count);
}

double KernelsAround::seconds_without(GroupId group, std::span<const OperationId> gone) {
  std::vector<OperationId> homes, others;
  for (const OperationId each : contents_->instances(group))
    if (!holds(gone, each)) (inlined_[each.index()] != 0 ? others : homes).push_back(each);
  return seconds_of(homes, others);
}

/// With it, what a kernel computes for its sake alone.
std::vector<OperationId> KernelsAround::needed_only_by(OperationId operation, GroupId group) const {
  std::vector<OperationId> needed{operation};
  const std::span<const OperationId> instances = contents_->instances(group);
  const auto found = std::ranges::find(instances, operation);
  for (auto i = static_cast<std::size_t>(found - instances.begin()); i-- > 0;) {
    if (inlined_[instances[i].index()] == 0) continue;
    bool is_read = false, by_others = false;
    for (const FusionGraph::Read& read : graph_.readers[instances[i].index()]) {
      const OperationId reader(read.operation);
      if (holds(needed, reader)) is_read = true;
      else by_others |= contents_->runs(group, reader);
    }
    if (is_read && !by_others) needed.push_back(instances[i]);
  }
  return needed;
}

std::vector<GroupId> KernelsAround::reading_groups(OperationId operation) const {
  std::vector<GroupId> reading;
  for (const FusionGraph::Read& read : graph_.readers[operation.index()])
    for (const GroupId group : groups_of(OperationId(read.operation)))
      if (std::ranges::find(reading, group) == reading.end()) reading.push_back(group);
  return reading;
}

std::vector<GroupId> KernelsAround::kernels_near(OperationId operation) const {
  std::vector<GroupId> near = reading_groups(operation);
  const std::span<const GroupId> own = groups_of(operation);
  near.insert(near.end(), own.begin(), own.end());
  return near;
}

Seat KernelsAround::seat_between(GroupId producer, GroupId reader) const {
  Seat seat;
  for (const OperationId each : contents_->instances(reader))
    for (const FusionGraph::Read& read : graph_.producers[each.index()])
      if (contents_->runs(producer, OperationId(read.operation))) seat.add(read.access);
  return seat;
}

KernelsAround::Change KernelsAround::if_apart(OperationId operation) {
  const GroupId home = plan_.group(operation);
  if (kernels_[home.index()].shape.operations == 1) return {.is_possible = true};
  return if_home_is(operation, GroupId());
}

/// Stored, in a kernel of its own or in one of those that compute it now, and read from there by the others.
KernelsAround::Change KernelsAround::if_home_is(OperationId operation, GroupId home) {
  Change change{.is_possible = true, .is_change = true};
  for (const GroupId group : groups_of(operation)) {
    const std::vector<OperationId> gone = needed_only_by(operation, group);
    change.seconds -= kernels_[group.index()].seconds;
    if (group == home) {
      std::vector<OperationId> homes{operation}, others;
      for (const OperationId each : contents_->instances(group))
        if (each != operation) (inlined_[each.index()] != 0 ? others : homes).push_back(each);
      change.seconds += seconds_of(homes, others);
      continue;
    }
    change.seconds += seconds_without(group, gone);
    if (!home.valid() && group == groups_of(operation).front())
      change.seconds += seconds_of(std::span(gone).first(1), std::span(gone).subspan(1));
  }
  return change;
}

KernelsAround::Change KernelsAround::if_inlined(OperationId operation) {
  if (is_inlined(operation)) return {.is_possible = true};
  const FusionGraph::Node& node = graph_.nodes[operation.index()];
  const GroupId home = plan_.group(operation);
  Change change{.is_possible = node.kind != Loop::Kind::none && node.inlined == Refusal::none &&
                               kernels_[home.index()].stored == 1,
                .is_change = true};
  if (!change.is_possible) return change;
  const std::span<const OperationId> own = contents_->instances(home);
  const std::vector<GroupId> reading = reading_groups(operation);
  change.is_possible = reading.size() <= graph_.limits.kernels;
  change.seconds = -kernels_[home.index()].seconds;
  for (const GroupId group : reading) {
    Seat seat;
    for (const FusionGraph::Read& read : graph_.readers[operation.index()])
      if (contents_->runs(group, OperationId(read.operation))) seat.add(read.access);
    change.is_possible &=
        with_producer(kernels_[group.index()].shape, node, seat, graph_.limits).refusal == Refusal::none;
    if (!change.is_possible) return change;
    std::vector<OperationId> homes, others(own.begin(), own.end());
    for (const OperationId each : contents_->instances(group))
      (inlined_[each.index()] != 0 ? others : homes).push_back(each);
    change.seconds += seconds_of(homes, others) - kernels_[group.index()].seconds;
  }
  return change;
}

KernelsAround::Change KernelsAround::if_merged_with_all(OperationId operation) {
  Change change{.is_possible = true};
  std::vector<GroupId> joined;
  KernelShape shape = kernel_of(graph_.nodes[operation.index()]);
  if (!is_inlined(operation)) {
    joined.push_back(plan_.group(operation));
    shape = kernels_[joined.front().index()].shape;
  }
  for (const FusionGraph::Read& read : graph_.readers[operation.index()]) {
    const GroupId group = plan_.group(OperationId(read.operation));
    if (read.access == Access::other || std::ranges::find(joined, group) != joined.end()) continue;
    Seat seat;
    seat.add(read.access);
    const JoinedKernel both = hone::merged(shape, kernels_[group.index()].shape, seat, graph_.limits);
    if (both.refusal != Refusal::none) continue;
    shape = both.kernel;
    joined.push_back(group);
  }
  change.is_change = joined.size() > 1;
  if (!change.is_change) return change;
  std::vector<OperationId> homes, others;
  for (const GroupId group : joined) {
    change.seconds -= kernels_[group.index()].seconds;
    for (const OperationId each : contents_->instances(group))
      (inlined_[each.index()] != 0 && each != operation ? others : homes).push_back(each);
  }
  change.seconds += seconds_of(homes, others);
  return change;
}

KernelsAround::Change KernelsAround::if_merged(OperationId operation, OperationId reader) {
  const GroupId one = plan_.group(operation), other = plan_.group(reader);
  if (is_inlined(operation)) {
    if (groups_of(operation).size() == 1) return {.is_possible = true};
    return if_home_is(operation, other);
  }
  if (one == other) return {.is_possible = true};
  Change change{.is_change = true};
  change.is_possible =
      merged(kernels_[one.index()].shape, kernels_[other.index()].shape, seat_between(one, other), graph_.limits)
          .refusal == Refusal::none;
  if (!change.is_possible) return change;
  std::vector<OperationId> homes, others;
  for (const GroupId group : {one, other})
    for (const OperationId each : contents_->instances(group))
      (inlined_[each.index()] != 0 ? others : homes).push_back(each);
  change.seconds = seconds_of(homes, others) - kernels_[one.index()].seconds - kernels_[other.index()].seconds;
  return change;
}

}  // namespace hone
