#include "plan/fuse/priority_merging.h"

#include <algorithm>

namespace hone {

PriorityMerging::PriorityMerging(const Problem& problem, const FusionGraph& graph, const Plan& plan)
    : graph_(graph), cost_(problem, graph, plan), known_seconds_(graph.size(), -1), version_(graph.size()) {}

void PriorityMerging::run(GroupForest& forest) {
  for (const std::uint32_t operation : graph_.order)
    for (const FusionGraph::Read& read : graph_.readers[operation])
      if (read.access != Access::other) consider(forest, operation, read.operation);
  while (!queue_.empty()) {
    const Candidate best = queue_.top();
    queue_.pop();
    const std::uint32_t producer = forest.find(best.producer), reader = forest.find(best.reader);
    if (producer == reader || version_[producer] + version_[reader] != best.version) continue;
    if (forest.merge(producer, reader) != Refusal::none) continue;
    const std::uint32_t group = forest.find(producer);
    version_[group] = version_[producer] + version_[reader] + 1;
    known_seconds_[group] = -1;
    consider_around(forest, group);
  }
}

/// Time of a group, together with another if that is not the same.
double PriorityMerging::seconds(GroupForest& forest, std::uint32_t group, std::uint32_t other) {
  cost_.clear();
  const auto add = [this](std::uint32_t member) { cost_.add(member); };
  forest.for_each_member(group, add);
  if (other != group) forest.for_each_member(other, add);
  return cost_.seconds(cost_.operations().size());
}

void PriorityMerging::consider(GroupForest& forest, std::uint32_t producer, std::uint32_t reader) {
  const std::uint32_t from = forest.find(producer), to = forest.find(reader);
  if (forest.kernel(from).points == 0 || forest.kernel(to).points == 0) return;
  for (const std::uint32_t group : {from, to})
    if (known_seconds_[group] < 0) known_seconds_[group] = seconds(forest, group, group);
  const double gain = known_seconds_[from] + known_seconds_[to] - seconds(forest, from, to);
  if (gain > 0) queue_.push({gain, producer, reader, version_[from] + version_[to]});
}

/// Reckons anew what the neighbours of a group would save with it.
void PriorityMerging::consider_around(GroupForest& forest, std::uint32_t group) {
  pairs_.clear();
  const auto note = [&](std::uint32_t producer, std::uint32_t reader, std::uint32_t neighbor, Access access) {
    if (access != Access::other && neighbor != group) pairs_.push_back(std::uint64_t{producer} << 32 | reader);
  };
  forest.for_each_member(group, [&](std::uint32_t member) {
    for (const FusionGraph::Read& read : graph_.readers[member])
      note(member, read.operation, forest.find(read.operation), read.access);
    for (const FusionGraph::Read& read : graph_.producers[member])
      note(read.operation, member, forest.find(read.operation), read.access);
  });
  // One read stands for all between two groups.
  const auto groups_of = [&](std::uint64_t pair) {
    return std::pair(forest.find(static_cast<std::uint32_t>(pair >> 32)),
                     forest.find(static_cast<std::uint32_t>(pair)));
  };
  std::ranges::sort(pairs_, {}, [&](std::uint64_t pair) { return std::pair(groups_of(pair), pair); });
  const auto same = std::ranges::unique(pairs_, {}, groups_of);
  pairs_.erase(same.begin(), same.end());
  for (const std::uint64_t pair : pairs_)
    consider(forest, static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair));
}

}  // namespace hone
