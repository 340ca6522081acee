#pragma once

#include <optional>
#include <string>

#include "rewrite/rules/rule.h"

namespace hone {

/// Fills in what follows from the two sides of a rule (inputs, outputs, order of matching). Says in one sentence what
/// is wrong with it, if something is.
std::optional<std::string> complete_rule(Rule& rule);

}  // namespace hone
