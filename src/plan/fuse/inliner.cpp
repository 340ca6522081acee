#include "plan/fuse/inliner.h"

#include <algorithm>
#include <ranges>

namespace hone {

Inliner::Inliner(const FusionGraph& graph)
    : graph_(graph),
      kernels_(graph.size()),
      first_(graph.size()),
      count_(graph.size()),
      host_of_(graph.size()),
      refusals_(graph.size()) {
  grouping_.group_of.resize(graph.size());
}

void Inliner::inline_into(GroupForest& forest, std::span<const std::uint8_t> wanted) {
  instances_.clear();
  grouping_.copies.clear();
  for (std::uint32_t i = 0; i < graph_.size(); ++i)
    if (forest.find(i) == i) kernels_[i] = forest.kernel(i);
  for (const std::uint32_t operation : std::views::reverse(graph_.order)) {
    first_[operation] = static_cast<std::uint32_t>(instances_.size());
    count_[operation] = 0;
    const bool tries = wanted[operation] != 0 && forest.is_alone(operation);
    refusals_[operation] = tries ? refusal_by_hosts(operation) : Refusal::none;
    if (tries && refusals_[operation] == Refusal::none) {
      settle(operation);
    } else {
      grouping_.group_of[operation] = forest.find(operation);
      add_instance(operation, {.group = grouping_.group_of[operation]});
    }
  }
}

void Inliner::add_instance(std::uint32_t operation, Instance instance) {
  instances_.push_back(instance);
  ++count_[operation];
}

/// The kernels in which somebody reads an operation.
void Inliner::find_hosts(std::uint32_t operation) {
  hosts_.clear();
  for (const FusionGraph::Read& read : graph_.readers[operation])
    for (const Instance& reader : instances_of(read.operation)) {
      std::uint32_t& place = host_of_[reader.group];
      if (place >= hosts_.size() || hosts_[place].group != reader.group) {
        place = static_cast<std::uint32_t>(hosts_.size());
        hosts_.push_back({.group = reader.group});
      }
      hosts_[place].seat.add(reader.aligned ? read.access : Access::other);
    }
}

/// Why those that read an operation cannot compute it, all of them.
Refusal Inliner::refusal_by_hosts(std::uint32_t operation) {
  const FusionGraph::Node& node = graph_.nodes[operation];
  if (node.inlined != Refusal::none) return node.inlined;
  find_hosts(operation);
  if (hosts_.size() > graph_.limits.kernels) return Refusal::too_many_kernels;
  if (hosts_.size() > 1 && node.kind == Loop::Kind::contraction) return Refusal::contraction_twice;
  joined_.clear();
  for (const Host& host : hosts_) {
    if (kernels_[host.group].points == 0) return Refusal::no_loop;
    joined_.push_back(with_producer(kernels_[host.group], node, host.seat, graph_.limits));
    if (joined_.back().refusal != Refusal::none) return joined_.back().refusal;
  }
  return Refusal::none;
}

void Inliner::settle(std::uint32_t operation) {
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    kernels_[host.group] = joined_[i].kernel;
    add_instance(operation, {.group = host.group, .aligned = host.seat.aligned});
    if (i == 0) grouping_.group_of[operation] = host.group;
    else grouping_.copies.push_back({operation, host.group});
  }
}

}  // namespace hone
