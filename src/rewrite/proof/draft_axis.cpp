#include "graph/ops/op.h"
#include "rewrite/proof/draft.h"

// Reductions and others that name axes, types or bounds.

namespace hone {
namespace {

bool complete_reduction(Draft& draft, Choices& choices) {
  if (draft.open(0))
    draft.set(0, choices.shortcut(2) ? draft.any_image(draft.any_size(choices), 2, choices)
                                     : draft.any_shape(0, choices, 1, draft.scope.rank));
  const std::size_t rank = draft.rank(0);
  if (rank == 0) return false;
  if (draft.undecided("axes")) {
    DimList axes;
    const bool last = choices.shortcut(3), spatial = choices.shortcut(3);
    for (std::size_t i = 0; i < rank; ++i)
      if (last ? i + 1 == rank : spatial ? i >= 2 : choices.pick(2) == 0) axes.push_back(number(i));
    if (axes.empty()) return false;
    draft.choose("axes", axes);
  }
  if (draft.undecided("keepdims")) draft.choose("keepdims", number(choices.pick(2)));
  return true;
}

bool complete_axis(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, draft.any_shape(0, choices, 1, draft.scope.rank));
  const std::size_t rank = draft.rank(0);
  if (rank == 0) return false;
  if (draft.undecided("axis")) draft.choose("axis", number(choices.shortcut(2) ? rank - 1 : choices.pick(rank)));
  return true;
}

bool complete_gather(Draft& draft, Choices& choices) {
  if (!complete_axis(draft, choices)) return false;
  if (draft.open(1)) {
    const std::size_t rank = draft.wanted_rank(1) ? *draft.wanted_rank(1) : choices.pick(2);
    draft.set(1, rank == 0 ? Shape{} : Shape{draft.any_size(choices)}, ElementType::int64);
  }
  return true;
}

bool complete_cast(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, draft.any_shape(0, choices));
  constexpr ElementType kTypes[] = {ElementType::float32, ElementType::float64, ElementType::int64, ElementType::int32,
                                    ElementType::float16};
  if (draft.undecided("to")) draft.choose("to", Dim(static_cast<std::int64_t>(kTypes[choices.pick(5)])));
  return true;
}

bool complete_clip(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, draft.any_shape(0, choices));
  constexpr double kLow[] = {0, -1, 1}, kHigh[] = {6, 2, 1};
  if (draft.undecided("min")) draft.choose("min", kLow[choices.pick(3)]);
  if (draft.undecided("max")) draft.choose("max", kHigh[choices.pick(3)]);
  return true;
}

constexpr NamedCompletion kAxisCompletions[] = {
    {"ReduceMean", complete_reduction},
    {"ReduceSum", complete_reduction},
    {"ReduceMax", complete_reduction},
    {"ReduceMin", complete_reduction},
    {"ReduceL1", complete_reduction},
    {"ReduceL2", complete_reduction},
    {"ReduceProd", complete_reduction},
    {"ReduceSumSquare", complete_reduction},
    {"ReduceLogSum", complete_reduction},
    {"ReduceLogSumExp", complete_reduction},
    {"Softmax", complete_axis},
    {"LogSoftmax", complete_axis},
    {"Gather", complete_gather},
    {"Cast", complete_cast},
    {"Clip", complete_clip},
};

}  // namespace

std::span<const NamedCompletion> axis_completions() { return kAxisCompletions; }

}  // namespace hone
