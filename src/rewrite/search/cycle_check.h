#pragma once

#include <cstdint>
#include <vector>

#include "rewrite/rules/match.h"

namespace hone {

/// Tells which matches of one graph would close a cycle when replaced: those of which an input is computed from an
/// output. The graph's order is worked out once, so that only nodes behind the match are looked at.
class CycleCheck {
 public:
  /// The graph must outlive the check.
  explicit CycleCheck(const Graph& graph) : graph_(graph) {}

  bool closes(const Match& match);

 private:
  void prepare();

  const Graph& graph_;
  std::vector<std::uint32_t> height_;  // by node: longest way to it from the inputs
  std::vector<std::uint32_t> seen_;    // by node: the question in which it was last met
  std::uint32_t question_ = 0;
};

}  // namespace hone
