#pragma once

#include "rewrite/rules/rule.h"

namespace hone {

/// Whether two rules have the same operators in the same wiring on both sides, up to names and the order of commutative
/// operands. Attributes and conditions are not looked at.
bool same_rule(const Rule& a, const Rule& b);

}  // namespace hone
