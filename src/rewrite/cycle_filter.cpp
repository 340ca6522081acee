#include "rewrite/cycle_filter.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

/// A class on the way of a depth-first search, and how far its makers have been followed.
struct Stop {
  ValueId leader;
  std::vector<ValueId> makers;
  std::size_t maker = 0, input = 0;
};

}  // namespace

std::vector<ValueId> CycleFilter::makers(ValueId leader) const {
  const std::span<const ValueId> members = egraph_.members(leader);
  if (egraph_.is_source(leader)) return {leader};
  const auto source = std::ranges::find_if(members, [&](ValueId id) { return egraph_.is_source(id); });
  if (source != members.end()) return {*source};
  std::vector<ValueId> found;
  for (const ValueId id : members)
    if (!is_barred(id)) found.push_back(id);
  return found;
}

void CycleFilter::update() {
  barred_.resize(egraph_.graph().value_count(), false);
  seen_.assign(egraph_.graph().value_count(), 0);
  question_ = 0;
  while (!visit_all()) {
  }
  positions_.assign(egraph_.graph().value_count(), 0);
  for (std::size_t i = 0; i < order_.size(); ++i) positions_[order_[i].index()] = static_cast<std::uint32_t>(i);
}

/// Puts classes in order; false when there were cycles, of which each lost a maker.
bool CycleFilter::visit_all() {
  enum class Mark : char { none, open, done };
  std::vector<Mark> marks(egraph_.graph().value_count(), Mark::none);
  std::vector<Stop> way;
  bool acyclic = true;
  order_.clear();
  const auto enter = [&](ValueId leader) {
    marks[leader.index()] = Mark::open;
    way.push_back({.leader = leader, .makers = makers(leader)});
  };
  const auto close_cycle = [&](ValueId leader) {
    acyclic = false;
    std::vector<ValueId> cycle;
    for (auto stop = way.rbegin();; ++stop) {
      cycle.push_back(stop->makers[stop->maker]);
      if (stop->leader == leader) break;
    }
    bar_newest(cycle);
  };
  for (const ValueId start : egraph_.leaders()) {
    if (marks[start.index()] != Mark::none) continue;
    enter(start);
    while (!way.empty()) {
      Stop& stop = way.back();
      if (stop.maker == stop.makers.size()) {
        marks[stop.leader.index()] = Mark::done;
        order_.push_back(stop.leader);
        way.pop_back();
        continue;
      }
      const ValueId maker = stop.makers[stop.maker];
      const NodeId producer = egraph_.graph().value(maker).producer;
      if (is_barred(maker) || !producer.valid() || stop.input == egraph_.graph().node(producer).inputs.size()) {
        ++stop.maker;
        stop.input = 0;
        continue;
      }
      const ValueId input = egraph_.graph().node(producer).inputs[stop.input++];
      if (!input.valid() || marks[input.index()] == Mark::done) continue;
      if (marks[input.index()] == Mark::open) close_cycle(input);
      else enter(input);
    }
  }
  return acyclic;
}

void CycleFilter::bar_newest(std::span<const ValueId> cycle) {
  if (std::ranges::any_of(cycle, [&](ValueId id) { return is_barred(id); })) return;  // it is broken already
  ValueId newest;
  for (const ValueId id : cycle)
    if (egraph_.oldest(egraph_.leader(id)) != id && (!newest.valid() || newest < id)) newest = id;
  HONE_CHECK(newest.valid(), "a cycle through the oldest values of {} classes", cycle.size());
  barred_[newest.index()] = true;
}

bool CycleFilter::would_close_cycle(const Replacement& replacement) {
  ++question_;
  const auto is_here = [&](ValueId id) { return id.valid() && id.index() < replacement.first_value; };
  std::vector<ValueId> targets, stack;
  for (const Node& node : replacement.nodes) {
    std::ranges::copy_if(node.outputs, std::back_inserter(targets), is_here);
    std::ranges::copy_if(node.inputs, std::back_inserter(stack), is_here);
  }
  if (targets.empty()) return false;
  for (ValueId& target : targets) target = egraph_.leader(target);
  for (ValueId& input : stack) input = egraph_.leader(input);
  const std::uint32_t first =
      positions_[std::ranges::min(targets, {}, [&](ValueId id) { return positions_[id.index()]; }).index()];
  while (!stack.empty()) {
    const ValueId leader = stack.back();
    stack.pop_back();
    if (seen_[leader.index()] == question_ || positions_[leader.index()] < first) continue;
    seen_[leader.index()] = question_;
    if (std::ranges::find(targets, leader) != targets.end()) return true;
    for (const ValueId maker : makers(leader)) {
      const NodeId producer = egraph_.graph().value(maker).producer;
      if (!producer.valid()) continue;
      std::ranges::copy_if(egraph_.graph().node(producer).inputs, std::back_inserter(stack), &ValueId::valid);
    }
  }
  return false;
}

}  // namespace hone
