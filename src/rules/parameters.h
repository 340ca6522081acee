#pragma once

#include <span>

#include "ir/op_name.h"

namespace hone {

/// An argument of an operator that rules see as an attribute and that some opset versions have as an input.
struct OperatorParameter {
  enum class Kind { integers, element };  // a list of int64, or one element of the type of the first input

  const OpName* op = nullptr;
  const char* attribute = nullptr;
  std::size_t slot = 0;
  int since = 0;  // operator version that first has it as an input
  Kind kind = Kind::integers;
};

/// The parameters of an operator, by slot; none for most.
std::span<const OperatorParameter> parameters_of(const OpName* op);

}  // namespace hone
