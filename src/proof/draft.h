#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/type.h"
#include "proof/choices.h"
#include "rules/expression.h"

namespace hone {

/// One operator application in the making: what is already decided of its inputs and attributes, and how the rest is
/// chosen so that the operator accepts it.
struct Draft {
  const OpName* op = nullptr;
  ElementType element = ElementType::float64;  // of inputs that nothing else decides
  std::vector<std::optional<Type>> inputs;     // undecided ones are empty
  std::vector<std::optional<DimList>> wanted;  // shapes that undecided inputs are asked to have; unknown dims are free
  std::size_t outputs = 1;
  bool any_outputs = false;  // the number of outputs may be chosen
  NamedTerms attributes;     // those decided; choosing adds to them

  const Term* attribute(std::string_view name) const;
  /// Sets an attribute unless it is decided.
  void choose(std::string_view name, Term value);
  void set(std::size_t input, Shape shape, std::optional<ElementType> type = {});
  std::optional<std::size_t> wanted_rank(std::size_t input) const;
  bool open(std::size_t input) const { return input < inputs.size() && !inputs[input]; }
  const Shape& shape(std::size_t input) const { return inputs[input]->shape; }
  std::size_t rank(std::size_t input) const { return shape(input).size(); }
};

/// Decides everything that is open. False when nothing fits what is decided already.
bool complete(Draft& draft, Choices& choices);

/// Whether `complete` knows the operator, beyond those that work on elements alone.
bool has_own_choices(const OpName* op);

}  // namespace hone
