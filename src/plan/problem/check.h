#pragma once

#include <optional>
#include <string>

#include "plan/problem/plan.h"

namespace hone {

/// What is wrong with a plan, as one sentence naming the offender; nothing when it can be carried out as far as its
/// form goes (whether it fits into memory is a matter of cost). Slow and plain: it shares nothing with any optimiser or
/// simulator.
std::optional<std::string> check(const Workload& workload, const Machine& machine, const Plan& plan);

}  // namespace hone
