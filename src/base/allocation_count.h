#pragma once

#include <cstdint>

namespace hone {

/// How many times this thread has asked the system for memory through `operator new`; code that promises not to is held
/// to it with this.
std::uint64_t allocation_count();

}  // namespace hone
