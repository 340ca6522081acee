#include <algorithm>
#include <string>
#include <unordered_map>

#include "graph/ops/op.h"
#include "rewrite/proof/draft.h"

// Matrix products and normalisations.

namespace hone {
namespace {

/// `shape` in front of two axes that are decided: batches that broadcast.
Shape with_batches(Shape batches, std::initializer_list<Dim> matrix) {
  for (const Dim dim : matrix) batches.push_back(dim);
  return batches;
}

Shape batches_of(const Shape& shape) {
  return shape.size() <= 2 ? Shape{} : Shape(std::span<const Dim>(shape.begin(), shape.size() - 2));
}

/// Batches for the other operand of a product.
Shape other_batches(const Draft& draft, const Shape& shape, std::optional<std::size_t> rank, Choices& choices) {
  const std::size_t most = rank ? *rank : draft.scope.rank;
  if (most <= 2 || (!rank && choices.shortcut(2))) return {};
  Draft inner = draft;
  inner.scope.rank = most - 2;
  Shape batches = inner.partner(batches_of(shape), choices);
  while (rank && batches.size() + 2 < *rank) batches.insert(0, Dim(1));
  return batches;
}

bool complete_second_factor(Draft& draft, Choices& choices) {
  const Shape& left = draft.shape(0);
  if (left.empty()) return false;
  const auto rank = draft.wanted_rank(1);
  const bool vector = rank ? *rank == 1 : !choices.shortcut(2) && choices.pick(2) == 1;
  if (vector) draft.set(1, {left.back()});
  else draft.set(1, with_batches(other_batches(draft, left, rank, choices), {left.back(), draft.any_size(choices)}));
  return true;
}

bool complete_first_factor(Draft& draft, Choices& choices) {
  const Shape& right = draft.shape(1);
  if (right.empty()) return false;
  const auto rank = draft.wanted_rank(0);
  const Dim inner = right[right.size() < 2 ? 0 : right.size() - 2];
  const bool vector = rank ? *rank == 1 : !choices.shortcut(2) && choices.pick(2) == 1;
  if (vector) draft.set(0, {inner});
  else draft.set(0, with_batches(other_batches(draft, right, rank, choices), {draft.any_size(choices), inner}));
  return true;
}

bool complete_matmul(Draft& draft, Choices& choices) {
  if (draft.open(0) && draft.open(1)) {
    if (draft.wanted_rank(1) && !draft.wanted_rank(0)) {
      draft.set(1, draft.any_shape(1, choices));
      return complete_first_factor(draft, choices);
    }
    draft.set(0, draft.any_shape(0, choices, 1, draft.scope.rank));
  }
  if (draft.open(1)) return complete_second_factor(draft, choices);
  return !draft.open(0) || complete_first_factor(draft, choices);
}

bool complete_gemm(Draft& draft, Choices& choices) {
  for (const char* name : {"transA", "transB"})
    if (draft.undecided(name)) draft.choose(name, number(choices.pick(2)));
  for (const char* name : {"alpha", "beta"})
    if (draft.undecided(name)) draft.choose(name, choices.pick(2) == 0 ? 1.0 : 0.5);
  const bool flip_a = draft.integer("transA") == 1, flip_b = draft.integer("transB") == 1;
  const auto oriented = [](Dim rows, Dim columns, bool flip) {
    return flip ? Shape{columns, rows} : Shape{rows, columns};
  };
  if (draft.open(0)) {
    if (!draft.open(1) && draft.rank(1) != 2) return false;
    const Dim inner = draft.open(1) ? draft.any_size(choices) : draft.shape(1)[flip_b ? 1 : 0];
    draft.set(0, oriented(draft.any_size(choices), inner, flip_a));
  }
  if (draft.rank(0) != 2) return false;
  if (draft.open(1)) draft.set(1, oriented(draft.shape(0)[flip_a ? 0 : 1], draft.any_size(choices), flip_b));
  if (draft.rank(1) != 2) return false;
  if (draft.open(2)) {
    const Dim rows = draft.shape(0)[flip_a ? 1 : 0], columns = draft.shape(1)[flip_b ? 0 : 1];
    const Shape forms[] = {{columns}, {rows, columns}, {Dim(1), columns}, {rows, Dim(1)}, {Dim(1)}, {}};
    draft.set(2, draft.wanted_rank(2) == 1 ? Shape{columns} : forms[choices.pick(6)]);
  }
  return true;
}

void choose_epsilon(Draft& draft, Choices& choices) {
  if (draft.undecided("epsilon")) draft.choose("epsilon", choices.pick(2) == 0 ? 1.0 / 1024 : 0.25);
}

/// BatchNormalization and its like: a vector of channels for every input after the first.
bool complete_channels(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, draft.any_shape(0, choices, 2, std::max<std::size_t>(3, draft.scope.rank)));
  if (draft.rank(0) < 2) return false;
  for (std::size_t i = 1; i < draft.inputs.size(); ++i)
    if (draft.open(i)) draft.set(i, {draft.shape(0)[1]});
  choose_epsilon(draft, choices);
  return true;
}

bool complete_layer_norm(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, draft.any_shape(0, choices, 1, draft.scope.rank));
  const std::size_t rank = draft.rank(0);
  if (rank == 0) return false;
  if (draft.undecided("axis")) draft.choose("axis", number(choices.pick(rank)));
  const std::int64_t axis = draft.integer("axis").value_or(static_cast<std::int64_t>(rank) - 1);
  choose_epsilon(draft, choices);
  if (axis < 0 || axis > static_cast<std::int64_t>(rank)) return false;
  for (std::size_t i = 1; i < draft.inputs.size(); ++i)
    if (draft.open(i))
      draft.set(i, Shape(std::span<const Dim>(draft.shape(0).begin() + axis, rank - static_cast<std::size_t>(axis))));
  return true;
}

/// Sizes for the letters of an equation without dots.
bool complete_einsum(Draft& draft, Choices& choices) {
  const Term* term = draft.attribute("equation");
  const auto* equation = term != nullptr ? std::get_if<std::string>(term) : nullptr;
  if (equation == nullptr) return false;
  std::unordered_map<char, Dim> sizes;
  std::size_t input = 0;
  Shape shape;
  for (const char c : *equation + ",") {
    if (c == ' ') continue;
    if (c != ',' && c != '-') {
      if (!sizes.contains(c)) sizes[c] = draft.any_size(choices);
      shape.push_back(sizes[c]);
      continue;
    }
    if (draft.open(input)) draft.set(input, shape);
    ++input;
    shape.clear();
    if (c == '-') break;
  }
  return true;
}

constexpr NamedCompletion kProductCompletions[] = {
    {"MatMul", complete_matmul},
    {"Gemm", complete_gemm},
    {"Einsum", complete_einsum},
    {"BatchNormalization", complete_channels},
    {"InstanceNormalization", complete_channels},
    {"LayerNormalization", complete_layer_norm},
    {"RMSNormalization", complete_layer_norm},
    {"SimplifiedLayerNormalization", complete_layer_norm},
};

}  // namespace

std::span<const NamedCompletion> product_completions() { return kProductCompletions; }

}  // namespace hone
