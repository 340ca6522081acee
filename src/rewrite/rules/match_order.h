#pragma once

#include "rewrite/rules/rule.h"

namespace hone {

/// Decides in which order the matcher visits the operations of the left side, and whether using the rule could close a
/// cycle, and which conditions each step decides. False when the left side falls apart into unconnected pieces.
bool order_steps(Rule& rule);

}  // namespace hone
