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
  rank_ = graph_.position;
}

Refusal GroupForest::merge(std::uint32_t producer, std::uint32_t reader) {
  if (graph_.nodes[producer].kind == Loop::Kind::none || graph_.nodes[reader].kind == Loop::Kind::none)
    return Refusal::no_loop;
  producer = find(producer);
  reader = find(reader);
  if (producer == reader) return Refusal::none;
  const Crossing reads = crossing(producer, reader);
  if (reads.refusal != Refusal::none) return reads.refusal;
  const JoinedKernel joined = merged(kernels_[producer], kernels_[reader], reads.seat, graph_.limits);
  if (joined.refusal != Refusal::none) return joined.refusal;
  if (const Refusal refusal = search(producer, reader, Direction::forward); refusal != Refusal::none) return refusal;
  std::uint32_t rank = rank_[reader];  // where both can stand if nobody else reads the producer before
  if (!found_.empty()) {
    after_.swap(found_);
    if (const Refusal refusal = search(reader, producer, Direction::backward); refusal != Refusal::none) return refusal;
    before_.swap(found_);
    rank = before_.empty() ? rank_[producer] : reorder(producer, reader);
  }
  join(producer, reader, joined.kernel, rank);
  return Refusal::none;
}

/// How one group reads another.
GroupForest::Crossing GroupForest::crossing(std::uint32_t producer, std::uint32_t reader) {
  Crossing crossing;
  for (std::uint32_t member = producer; member != kNobody; member = next_member_[member])
    for (const FusionGraph::Read& read : graph_.readers[member]) {
      if (find(read.operation) != reader) continue;
      const Loop::Kind kind = graph_.nodes[member].kind;
      ++crossing.seat.edges;
      crossing.seat.aligned &= read.access != Access::other;
      crossing.seat.spreads |= read.access == Access::row;
      if (kind == Loop::Kind::columns) crossing.refusal = Refusal::columns_inside;
      if (kind == Loop::Kind::contraction && read.access != Access::same) crossing.refusal = Refusal::misaligned;
    }
  return crossing;
}

/// Finds all groups that can be reached from one and stand before (going back: after) another, which no way but the
/// direct one may lead to.
Refusal GroupForest::search(std::uint32_t from, std::uint32_t to, Direction direction) {
  const bool forward = direction == Direction::forward;
  const auto beyond = [&](std::uint32_t group) {
    return forward ? rank_[group] > rank_[to] : rank_[group] < rank_[to];
  };
  found_.assign(1, from);
  seen_[from] = ++searches_;
  std::size_t reads = 0;
  for (std::size_t next = 0; next < found_.size(); ++next)
    for (std::uint32_t member = found_[next]; member != kNobody; member = next_member_[member])
      for (const FusionGraph::Read& read : forward ? graph_.readers[member] : graph_.producers[member]) {
        if (++reads > kMostReads) return Refusal::too_far;
        const std::uint32_t group = find(read.operation);
        if (group == to && next > 0) return Refusal::cycle;
        if (group == to || seen_[group] == searches_ || beyond(group)) continue;
        seen_[group] = searches_;
        found_.push_back(group);
      }
  found_.erase(found_.begin());
  return Refusal::none;
}

/// Moves what leads to the reader before both, and what the producer leads to behind them; where they stand then.
std::uint32_t GroupForest::reorder(std::uint32_t producer, std::uint32_t reader) {
  const auto by_rank = [this](std::uint32_t one, std::uint32_t other) { return rank_[one] < rank_[other]; };
  std::ranges::sort(before_, by_rank);
  std::ranges::sort(after_, by_rank);
  ranks_.assign({rank_[producer], rank_[reader]});
  for (const std::uint32_t group : before_) ranks_.push_back(rank_[group]);
  for (const std::uint32_t group : after_) ranks_.push_back(rank_[group]);
  std::ranges::sort(ranks_);
  std::size_t next = 0;
  for (const std::uint32_t group : before_) rank_[group] = ranks_[next++];
  const std::uint32_t between = ranks_[next];
  next += 2;  // the places of both, one of which is left over
  for (const std::uint32_t group : after_) rank_[group] = ranks_[next++];
  return between;
}

void GroupForest::join(std::uint32_t producer, std::uint32_t reader, const KernelShape& kernel, std::uint32_t rank) {
  const bool keeps_reader = kernels_[reader].operations >= kernels_[producer].operations;
  const std::uint32_t kept = keeps_reader ? reader : producer, gone = keeps_reader ? producer : reader;
  parent_[gone] = kept;
  next_member_[last_member_[kept]] = gone;
  last_member_[kept] = last_member_[gone];
  kernels_[kept] = kernel;
  rank_[kept] = rank;
}

}  // namespace hone
