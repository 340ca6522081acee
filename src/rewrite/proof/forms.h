#pragma once

#include <vector>

#include "rewrite/proof/instance.h"

namespace hone {

/// What an instance can be besides its shapes and attributes: combinations of opset, element type and kind of numbers
/// under which the rule could be applied at least once.
std::vector<InstanceSetting> live_forms(const Rule& rule, std::uint64_t seed);

}  // namespace hone
