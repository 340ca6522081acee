#pragma once

#include <string>
#include <vector>

#include "plan/machine/machine.h"

namespace hone {

/// Names of a machine's devices, one for each, of letters, digits, `-` and `_` only, so that they can stand in file
/// names and in the settings of runtimes: `p100:3` is `p100-3`.
std::vector<std::string> plain_device_names(const Machine& machine);

}  // namespace hone
