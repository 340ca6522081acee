#pragma once

#include <span>

#include "rewrite/rules/rule.h"

namespace hone {

/// Whether one of the known rules already does what the rule does, judged by applying all of them to a few instances of
/// its left side.
bool is_instance_of_any(const Rule& rule, std::span<const Rule* const> known);

}  // namespace hone
