#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "rewrite/rules/expression.h"
#include "rewrite/rules/setting.h"

namespace hone {

/// A node as rules see it, the same under every opset: parameters that some versions have as inputs (axes, shapes,
/// splits, bounds) are attributes, attributes the node does not spell out have the values they stand for, axes count
/// from the front, automatic padding is numbers, and what changes no result (kernel_shape of a convolution, momentum)
/// is gone.
///
/// Nullopt when the node has no such form: parameters computed at run time, ranks that are not known, old versions that
/// mean something else.
std::optional<NamedTerms> normal_attributes(const Graph& graph, NodeId id, const RuleSetting& setting);

/// How many of the operator's leading inputs are data; those behind are parameters.
std::size_t data_inputs(const OpName* op);

/// Whether the value is what the operator takes when the attribute is not given.
bool is_default(const OpName* op, std::string_view attribute, const Term& value, const RuleSetting& setting);

/// What a node needs besides its data inputs, in the form of the opset in force.
struct PlainForm {
  Attributes attributes;
  std::vector<std::pair<std::size_t, Tensor>> parameters;  // constants by input slot
};

/// Undoes `normal_attributes` for a new node whose first input has the given type. Nullopt when the opset cannot say
/// it.
std::optional<PlainForm> plain_form(const OpName* op, const NamedTerms& attributes, const Type& first,
                                    const RuleSetting& setting);

}  // namespace hone
