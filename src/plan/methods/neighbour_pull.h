#pragma once

#include <span>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/methods/list_guidance.h"

namespace hone {

/// A bias (see ListGuidance) that pulls every operation to where those lie in a plan that a pass in `direction` places
/// after it: what moving data between them would take, times `price`. By itself a pass sees only transfers to and from
/// what it has placed before.
std::vector<float> pull_to_neighbours(const Durations& durations, std::span<const DeviceId> device_of,
                                      Direction direction, double price);

}  // namespace hone
