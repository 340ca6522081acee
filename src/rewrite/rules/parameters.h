#pragma once

#include <span>
#include <string_view>

#include "graph/ir/op_name.h"
#include "graph/ops/op.h"

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

/// What the op table says of an attribute in a version of an operator; null when it has none of that name.
const AttributeSpec* find_spec(const OpEntry& entry, int version, std::string_view name);

/// Whether a later version of the operator has the attribute with another default: its values are then read otherwise,
/// as the axis of Softmax since version 13.
bool changes_meaning(const OpEntry& entry, int version, std::string_view name);

}  // namespace hone
