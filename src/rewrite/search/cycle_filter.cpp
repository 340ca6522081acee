#include "rewrite/search/cycle_filter.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

/// A depth-first search through all classes that puts them in order and breaks every cycle it meets.
class CycleFilter::Walk {
 public:
  explicit Walk(CycleFilter& filter)
      : filter_(filter), graph_(filter.egraph_.graph()), marks_(graph_.value_count(), Mark::none) {
    for (const ValueId leader : filter.egraph_.leaders()) {
      if (marks_[leader.index()] == Mark::none) enter(leader);
      while (!way_.empty()) advance();
    }
  }

  bool is_acyclic() const { return acyclic_; }
  std::vector<ValueId> take_order() { return std::move(order_); }

 private:
  enum class Mark : char { none, open, done };
  /// A class on the way, and how far its makers have been followed.
  struct Stop {
    ValueId leader;
    std::vector<ValueId> makers;
    std::size_t maker = 0, input = 0;
  };

  void enter(ValueId leader) {
    marks_[leader.index()] = Mark::open;
    way_.push_back({.leader = leader, .makers = filter_.makers(leader)});
  }

  void advance() {
    Stop& stop = way_.back();
    if (stop.maker == stop.makers.size()) {
      marks_[stop.leader.index()] = Mark::done;
      order_.push_back(stop.leader);
      way_.pop_back();
      return;
    }
    const ValueId maker = stop.makers[stop.maker];
    const NodeId producer = graph_.value(maker).producer;
    if (filter_.is_barred(maker) || !producer.valid() || stop.input == graph_.node(producer).inputs.size()) {
      ++stop.maker;
      stop.input = 0;
      return;
    }
    const ValueId input = graph_.node(producer).inputs[stop.input++];
    if (!input.valid() || marks_[input.index()] == Mark::done) return;
    if (marks_[input.index()] == Mark::open) close_cycle(input);
    else enter(input);
  }

  void close_cycle(ValueId leader) {
    acyclic_ = false;
    std::vector<ValueId> cycle;
    for (auto stop = way_.rbegin();; ++stop) {
      cycle.push_back(stop->makers[stop->maker]);
      if (stop->leader == leader) break;
    }
    filter_.bar_newest(cycle);
  }

  CycleFilter& filter_;
  const Graph& graph_;
  std::vector<Mark> marks_;  // by leader
  std::vector<Stop> way_;
  std::vector<ValueId> order_;
  bool acyclic_ = true;
};

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
  for (bool acyclic = false; !acyclic;) {
    Walk walk(*this);
    acyclic = walk.is_acyclic();
    order_ = walk.take_order();
  }
  positions_.assign(egraph_.graph().value_count(), 0);
  for (std::size_t i = 0; i < order_.size(); ++i) positions_[order_[i].index()] = static_cast<std::uint32_t>(i);
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
