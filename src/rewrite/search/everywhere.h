#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "rewrite/rules/rule.h"

namespace hone {

/// Applies rules to a model wherever they match, in the order given, each until it matches nowhere, and all again while
/// that changes something, three times at most; then cleans up.
/// New nodes carry `hone.rule`, and `hone.from` with the names of the original nodes that they stand for. Returns how
/// often a rule was applied. Operators of other domains than ONNX's own appear only when allowed.
std::size_t apply_everywhere(Model& model, std::span<const Rule* const> rules, const std::vector<std::string>& allowed);

}  // namespace hone
