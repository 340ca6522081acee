#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/ir/type.h"
#include "rewrite/proof/choices.h"
#include "rewrite/proof/scope.h"
#include "rewrite/rules/expression.h"

namespace hone {

/// One operator application in the making: what is already decided of its inputs and attributes, and how the rest is
/// chosen so that the operator accepts it.
struct Draft {
  const OpName* op = nullptr;
  Scope scope;
  ElementType element = ElementType::float64;  // of inputs that nothing else decides
  std::vector<std::optional<Type>> inputs;     // undecided ones are empty
  std::vector<std::optional<DimList>> wanted;  // shapes that undecided inputs are asked to have; unknown dims are free
  std::size_t outputs = 1;
  bool any_outputs = false;                            // the number of outputs may be chosen
  NamedTerms attributes;                               // those decided; choosing adds to them
  std::optional<std::vector<std::string_view>> named;  // where set, all other attributes have their defaults

  const Term* attribute(std::string_view name) const;
  /// Whether the attribute is still to be chosen.
  bool undecided(std::string_view name) const;
  /// The attribute as a whole number, when it is decided and one.
  std::optional<std::int64_t> integer(std::string_view name) const;
  /// How long the list is, when the attribute is decided and one.
  std::optional<std::size_t> length(std::string_view name) const;
  /// Sets an attribute unless it is decided.
  void choose(std::string_view name, Term value);
  void set(std::size_t input, Shape shape, std::optional<ElementType> type = {});
  std::optional<std::size_t> wanted_rank(std::size_t input) const;
  bool open(std::size_t input) const { return input < inputs.size() && !inputs[input]; }
  const Shape& shape(std::size_t input) const { return inputs[input]->shape; }
  std::size_t rank(std::size_t input) const { return shape(input).size(); }

  // Choices that most operators share

  /// A size of an axis.
  Dim any_size(Choices& choices) const;
  /// A shape for an open input: of the rank it is asked to have, else of one from `least` to `most` axes.
  Shape any_shape(std::size_t input, Choices& choices, std::size_t least, std::size_t most) const;
  Shape any_shape(std::size_t input, Choices& choices) const { return any_shape(input, choices, 0, scope.rank); }
  /// Batch, channels and axes for windows.
  Shape any_image(Dim channels, std::size_t spatial, Choices& choices) const;
  /// What broadcasts against the given shape.
  Shape partner(const Shape& shape, Choices& choices) const;
};

/// Decides everything that is open. False when nothing fits what is decided already.
bool complete(Draft& draft, Choices& choices);

/// How one family of operators decides what is open.
using Completion = bool (*)(Draft&, Choices&);

struct NamedCompletion {
  std::string_view op;
  Completion complete;
};

std::span<const NamedCompletion> window_completions();
std::span<const NamedCompletion> product_completions();
std::span<const NamedCompletion> movement_completions();
std::span<const NamedCompletion> axis_completions();

/// A number from `low` to `high`.
inline std::int64_t pick_between(Choices& choices, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(choices.pick(static_cast<std::size_t>(high - low + 1)));
}

inline Dim number(std::size_t value) { return Dim(static_cast<std::int64_t>(value)); }

}  // namespace hone
