#pragma once

#include <optional>
#include <vector>

#include "rewrite/rules/rule.h"

namespace hone {

/// What the conditions of a rule ask of a tensor: to be a constant, to be none, or neither.
enum class AskedOf { nothing, constant, variable };
AskedOf asked_of(const Rule& rule, std::size_t tensor);

/// What the rule says about the shape of a tensor, as far as what is bound decides it; unknown where it is free.
std::optional<DimList> asked_shape(const Rule& rule, std::size_t tensor, const Bindings& bindings);

/// What a condition of the form `name == ...` says an attribute is; nothing when none does or it is not decided yet.
Term asked_term(const Rule& rule, std::size_t term, const Bindings& bindings, const std::vector<bool>& bound);

/// The terms of the bindings with those that conditions on shapes bind; nullopt when a condition that speaks of shapes
/// and attributes alone, all of them bound, does not hold.
std::optional<std::vector<Term>> terms_by_shapes(const Rule& rule, const Bindings& bindings,
                                                 const std::vector<bool>& bound);

}  // namespace hone
