#pragma once

#include <string>
#include <vector>

#include "run/native/lowering.h"
#include "run/native/onednn.h"

namespace hone::native {

/// What follows a contraction and is done before its result is stored.
struct Following {
  std::vector<Epilogue> steps;
  std::vector<NodeId> nodes;  // whose work it is
  ValueId result;             // of the last of them
  std::string text;           // `+Relu`
};

/// The operators after `result` that oneDNN can do in passing: functions of each element, and additions of something
/// of the same shape that is there and lies, or can be laid out, like the result.
Following following_of(Lowering& lowering, ValueId result, const LoopView& view);

}  // namespace hone::native
