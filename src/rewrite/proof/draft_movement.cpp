#include <algorithm>

#include "graph/ops/op.h"
#include "rewrite/proof/draft.h"

// Operators that copy, cut, join and permute.

namespace hone {
namespace {

void open_input(Draft& draft, Choices& choices, std::size_t least = 0) {
  if (draft.open(0)) draft.set(0, draft.any_shape(0, choices, least, draft.scope.rank));
}

bool complete_concat(Draft& draft, Choices& choices) {
  const auto decided = std::ranges::find_if(draft.inputs, [](const auto& input) { return input.has_value(); });
  if (draft.inputs.empty()) return false;
  const Shape base =
      decided != draft.inputs.end() ? (*decided)->shape : draft.any_shape(0, choices, 1, draft.scope.rank);
  if (base.empty()) return false;
  if (draft.undecided("axis")) draft.choose("axis", number(choices.pick(base.size())));
  const std::int64_t axis = draft.integer("axis").value_or(-1);
  if (axis < 0 || axis >= static_cast<std::int64_t>(base.size())) return false;
  bool first = decided == draft.inputs.end();
  for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
    if (!draft.open(i)) continue;
    Shape shape = base;
    if (!first) shape[static_cast<std::size_t>(axis)] = draft.any_size(choices);
    first = false;
    draft.set(i, shape);
  }
  return true;
}

/// Sizes of the pieces of an axis that is decided: every way to cut it.
std::optional<DimList> cut(std::int64_t size, std::size_t pieces, Choices& choices) {
  DimList sizes;
  for (std::size_t i = pieces; i > 1; --i) {
    const std::int64_t most = size - static_cast<std::int64_t>(i) + 1;
    if (most < 1) return std::nullopt;
    sizes.push_back(pick_between(choices, 1, most));
    size -= sizes.back().value();
  }
  sizes.push_back(Dim(size));
  return sizes;
}

bool complete_split(Draft& draft, Choices& choices) {
  if (draft.any_outputs) draft.outputs = 2 + choices.pick(draft.scope.list - 1);
  const bool open = draft.open(0);
  if (open) draft.set(0, draft.any_shape(0, choices, 1, draft.scope.rank));
  if (draft.rank(0) == 0) return false;
  if (draft.undecided("axis")) draft.choose("axis", number(choices.pick(draft.rank(0))));
  const std::int64_t axis = draft.integer("axis").value_or(-1);
  if (axis < 0 || axis >= static_cast<std::int64_t>(draft.rank(0))) return false;
  Dim& size = draft.inputs[0]->shape[static_cast<std::size_t>(axis)];
  if (open && !draft.wanted_rank(0)) size = size + number(draft.outputs) - 1;  // long enough to be cut
  const auto sizes = draft.undecided("split") ? cut(size.value(), draft.outputs, choices) : DimList();
  if (!sizes) return false;
  draft.choose("split", *sizes);
  return true;
}

/// Every shape of as many elements.
bool complete_reshape(Draft& draft, Choices& choices) {
  open_input(draft, choices);
  if (!draft.undecided("shape")) return true;
  DimList shape;
  std::int64_t left = element_count(draft.shape(0)).value();
  if (choices.shortcut(3) || left == 0) {
    shape.assign(draft.shape(0).begin(), draft.shape(0).end());
  } else {
    const std::size_t rank = (left == 1 ? 0 : 1) + choices.pick(draft.scope.rank + (left == 1 ? 1 : 0));
    for (std::size_t i = 1; i < rank; ++i) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t d = 1; d <= left; ++d)
        if (left % d == 0) divisors.push_back(d);
      shape.push_back(Dim(divisors[choices.pick(divisors.size())]));
      left /= shape.back().value();
    }
    if (rank > 0) shape.push_back(Dim(left));
  }
  draft.choose("shape", shape);
  return true;
}

bool complete_expand(Draft& draft, Choices& choices) {
  open_input(draft, choices);
  if (!draft.undecided("shape")) return true;
  DimList shape(draft.shape(0).begin(), draft.shape(0).end());
  for (Dim& dim : shape)
    if (dim == Dim(1)) dim = draft.any_size(choices);
  const std::size_t most = std::max(draft.scope.rank, shape.size()) - shape.size();
  for (std::size_t more = choices.pick(most + 1); more > 0; --more)
    shape.insert(shape.begin(), draft.any_size(choices));
  draft.choose("shape", shape);
  return true;
}

bool complete_transpose(Draft& draft, Choices& choices) {
  if (const auto decided = draft.length("perm"); decided && draft.open(0))
    draft.set(0, draft.any_shape(0, choices, *decided, *decided));
  open_input(draft, choices);
  if (!draft.undecided("perm")) return true;
  DimList left, perm;
  for (std::size_t i = 0; i < draft.rank(0); ++i) left.push_back(number(i));
  while (!left.empty()) {
    const std::size_t at = choices.pick(left.size());
    perm.push_back(left[at]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  draft.choose("perm", perm);
  return true;
}

bool complete_slice(Draft& draft, Choices& choices) {
  open_input(draft, choices, 1);
  if (!draft.undecided("starts")) return true;
  DimList starts, ends, axes, steps;
  for (std::size_t i = 0; i < draft.rank(0); ++i) {
    const std::int64_t size = draft.shape(0)[i].value();
    starts.push_back(choices.shortcut(2) ? 0 : pick_between(choices, 0, size - 1));
    ends.push_back(choices.shortcut(2) ? size : pick_between(choices, starts.back().value() + 1, size));
    axes.push_back(number(i));
    const bool several = ends.back().value() - starts.back().value() > 1;
    steps.push_back(several && !choices.shortcut(2) ? pick_between(choices, 1, 2) : 1);
  }
  draft.choose("starts", starts);
  draft.choose("ends", ends);
  draft.choose("axes", axes);
  draft.choose("steps", steps);
  return true;
}

/// A set of numbers below `count`, as a list in ascending order; not empty.
DimList any_subset(Choices& choices, const DimList& among) {
  DimList chosen;
  for (const Dim element : among)
    if (choices.pick(2) == 0) chosen.push_back(element);
  return chosen;
}

bool complete_unsqueeze(Draft& draft, Choices& choices) {
  open_input(draft, choices);
  if (!draft.undecided("axes")) return true;
  const std::size_t rank = draft.rank(0);
  const std::size_t added = 1 + choices.pick(2);
  DimList axes{number(choices.pick(rank + added))};
  if (added == 2) {
    if (axes[0] == number(rank + 1)) return false;
    axes.push_back(Dim(pick_between(choices, axes[0].value() + 1, static_cast<std::int64_t>(rank) + 1)));
  }
  draft.choose("axes", axes);
  return true;
}

bool complete_squeeze(Draft& draft, Choices& choices) {
  open_input(draft, choices, 1);
  if (!draft.undecided("axes")) return true;
  DimList ones;
  for (std::size_t i = 0; i < draft.rank(0); ++i)
    if (draft.shape(0)[i] == Dim(1)) ones.push_back(number(i));
  const DimList axes = any_subset(choices, ones);
  draft.choose("axes", axes);
  return !axes.empty();
}

bool complete_flatten(Draft& draft, Choices& choices) {
  open_input(draft, choices);
  if (draft.undecided("axis")) draft.choose("axis", number(choices.pick(draft.rank(0) + 1)));
  return true;
}

constexpr NamedCompletion kMovementCompletions[] = {
    {"Concat", complete_concat},       {"Split", complete_split},         {"Reshape", complete_reshape},
    {"Expand", complete_expand},       {"Transpose", complete_transpose}, {"Slice", complete_slice},
    {"Unsqueeze", complete_unsqueeze}, {"Squeeze", complete_squeeze},     {"Flatten", complete_flatten},
};

}  // namespace

std::span<const NamedCompletion> movement_completions() { return kMovementCompletions; }

}  // namespace hone
