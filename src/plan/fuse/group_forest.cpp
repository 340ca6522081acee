#include "plan/fuse/group_forest.h"

#include <algorithm>
#include <numeric>

namespace hone {
GroupForest::GroupForest(const FusionGraph& graph)
    : graph_(graph),
      parent_(graph.size()),
      next_member_(graph.size()),
      last_member_(graph.size()),
      seen_(graph.size()) {
  reset();
}

void GroupForest::reset() {
  std::iota(parent_.begin(), parent_.end(), 0);
  std::iota(last_member_.begin(), last_member_.end(), 0);
  std::ranges::fill(next_member_, kNobody);
  kernels_.clear();
  for (const FusionGraph::Node& node : graph_.nodes) kernels_.push_back(kernel_of(node));
  order_.reset(graph_.order);
}

Refusal GroupForest::merge(std::uint32_t producer, std::uint32_t reader) {
  if (graph_.nodes[producer].kind == Loop::Kind::none || graph_.nodes[reader].kind == Loop::Kind::none)
    return Refusal::no_loop;
  producer = find(producer);
  reader = find(reader);
  if (producer == reader) return Refusal::none;
  if (const Refusal refusal = refusal_by_size(producer, reader); refusal != Refusal::none) return refusal;
  const Crossing reads = crossing(producer, reader);
  if (reads.refusal != Refusal::none) return reads.refusal;
  const JoinedKernel joined = merged(kernels_[producer], kernels_[reader], reads.seat, graph_.limits);
  if (joined.refusal != Refusal::none) return joined.refusal;
  if (const Refusal refusal = refusal_by_ways(producer, reader); refusal != Refusal::none) return refusal;
  join(producer, reader, joined.kernel);
  return Refusal::none;
}

/// What can be said without looking at reads.
Refusal GroupForest::refusal_by_size(std::uint32_t producer, std::uint32_t reader) const {
  const KernelShape &one = kernels_[producer], &other = kernels_[reader];
  if (one.operations + other.operations > graph_.limits.operations) return Refusal::too_many_operations;
  if (one.has_contraction && other.has_contraction) return Refusal::two_contractions;
  return Refusal::none;
}

/// How one group reads another.
GroupForest::Crossing GroupForest::crossing(std::uint32_t producer, std::uint32_t reader) {
  Crossing crossing;
  for (std::uint32_t member = producer; member != kNobody; member = next_member_[member])
    for (const FusionGraph::Read& read : graph_.readers[member]) {
      if (find(read.operation) != reader) continue;
      const Loop::Kind kind = graph_.nodes[member].kind;
      crossing.seat.add(read.access);
      if (kind == Loop::Kind::columns) crossing.refusal = Refusal::columns_inside;
      if (kind == Loop::Kind::contraction && read.access != Access::same) crossing.refusal = Refusal::misaligned;
    }
  return crossing;
}

/// Whether a way leads from the producer to the reader by others.
Refusal GroupForest::refusal_by_ways(std::uint32_t producer, std::uint32_t reader) {
  for (Side* side : {&after_, &before_}) {
    side->found.assign(1, side == &after_ ? producer : reader);
    side->next = side->reads = 0;
    side->search = ++searches_;
    seen_[side->found.front()] = side->search;
  }
  while (!after_.is_through() && !before_.is_through()) {
    const bool forward = after_.reads <= before_.reads;
    const Refusal refusal = forward ? look_further(after_, before_) : look_further(before_, after_);
    if (refusal != Refusal::none) return refusal;
  }
  return Refusal::none;
}

/// Looks at the neighbours of the next group of a side.
Refusal GroupForest::look_further(Side& side, const Side& other) {
  const std::uint32_t from = side.found[side.next++], target = other.found.front();
  for (std::uint32_t member = from; member != kNobody; member = next_member_[member])
    for (const FusionGraph::Read& read : side.forward ? graph_.readers[member] : graph_.producers[member]) {
      if (++side.reads > kMostReads) return Refusal::too_far;
      const std::uint32_t group = find(read.operation);
      if (group == target && side.next == 1) continue;  // the direct way
      if (seen_[group] == other.search) return Refusal::cycle;
      if (seen_[group] == side.search) continue;
      if (side.forward ? order_.is_before(target, group) : order_.is_before(group, target)) continue;
      seen_[group] = side.search;
      side.found.push_back(group);
    }
  return Refusal::none;
}

/// Makes one group of two, where the one stood whose neighbours need not move.
void GroupForest::join(std::uint32_t producer, std::uint32_t reader, const KernelShape& kernel) {
  const bool stays_behind = after_.is_through();
  Side& side = stays_behind ? after_ : before_;
  const std::span<std::uint32_t> moved = std::span(side.found).subspan(1);
  std::ranges::sort(moved, [this](std::uint32_t one, std::uint32_t other) { return order_.is_before(one, other); });
  if (stays_behind) order_.move_behind(reader, moved);
  else order_.move_before(producer, moved);
  const bool keeps_reader = kernels_[reader].operations >= kernels_[producer].operations;
  const std::uint32_t kept = keeps_reader ? reader : producer, gone = keeps_reader ? producer : reader;
  if (kept != (stays_behind ? reader : producer)) order_.move_behind(gone, std::span(&kept, 1));
  order_.remove(gone);
  parent_[gone] = kept;
  next_member_[last_member_[kept]] = gone;
  last_member_[kept] = last_member_[gone];
  kernels_[kept] = kernel;
}

}  // namespace hone
