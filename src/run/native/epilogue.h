#pragma once

#include <string>
#include <vector>

#include "run/native/lowering.h"
#include "run/native/onednn.h"

namespace hone::native {

/// What follows a contraction and is done before its result is stored.
struct Following {
  ValueId first;  // what the contraction gives
  std::vector<Epilogue> steps;
  std::vector<std::vector<NodeId>> nodes;  // by step: whose work it is
  std::vector<ValueId> results;            // by step

  ValueId result() const { return results.empty() ? first : results.back(); }
  /// Leaves the last step to whoever comes after.
  void drop_last() {
    steps.pop_back();
    nodes.pop_back();
    results.pop_back();
  }
  /// Takes what is done from the operators that would have done it.
  void mark_done(Lowering& lowering) const;
  /// `+Add+Relu`.
  std::string text(const Graph& graph) const;
};

/// The operators after `result` that oneDNN can do in passing: functions of each element, swish (SiLU) and hard swish
/// written out as products included, and additions of something of the same shape that is there and lies, or can be
/// laid out, like the result.
Following following_of(Lowering& lowering, ValueId result, const LoopView& view);

}  // namespace hone::native
