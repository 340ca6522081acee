#pragma once

#include <string>

#include "learn/network/safetensors.h"
#include "learn/policy/construction.h"

namespace hone::learn {

/// Puts the decisions of a plan among arrays whose names begin with `name`.
void save_trace(const Trace& trace, const std::string& name, Safetensors& contents);
/// The same decisions; none where there are no such arrays. Throws InputError when they do not fit together.
Trace load_trace(const std::string& name, std::size_t operations, const Safetensors& contents);

}  // namespace hone::learn
