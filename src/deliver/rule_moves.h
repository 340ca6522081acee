#pragma once

#include <string>
#include <vector>

#include "deliver/proposal.h"

namespace hone {

/// One move for every family of built-in rules.
std::vector<Move> rule_moves(const std::vector<std::string>& allowed);

}  // namespace hone
