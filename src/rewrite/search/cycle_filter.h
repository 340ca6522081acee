#pragma once

#include "rewrite/search/egraph.h"

namespace hone {

/// Keeps choices from an e-graph free of cycles, as Tensat does (Yang et al., MLSys 2021): rewrites that would close
/// one are left out beforehand, and of every cycle that joining classes closed all the same, one way to make a value is
/// barred, the newest that is not the oldest of its class. What is left makes every class and has no cycle.
class CycleFilter {
 public:
  explicit CycleFilter(const EGraph& egraph) : egraph_(egraph) { update(); }

  /// To be called when the e-graph has been rebuilt.
  void update();

  /// Whether nobody may take the value to stand for its class.
  bool is_barred(ValueId id) const { return id.index() < barred_.size() && barred_[id.index()]; }
  /// Values that may stand for a class: its source if it has one, else what nodes make.
  std::vector<ValueId> makers(ValueId leader) const;
  /// Leaders such that nodes that make a class read only classes before it.
  const std::vector<ValueId>& order() const { return order_; }
  /// Whether an output of the replacement is needed for one of its inputs.
  bool would_close_cycle(const Replacement& replacement);

 private:
  class Walk;
  void bar_newest(std::span<const ValueId> cycle);

  const EGraph& egraph_;
  std::vector<bool> barred_;  // by value
  std::vector<ValueId> order_;
  std::vector<std::uint32_t> positions_;  // in `order_`, by leader
  std::vector<std::uint32_t> seen_;       // by leader: number of the question that came by last
  std::uint32_t question_ = 0;
};

}  // namespace hone
