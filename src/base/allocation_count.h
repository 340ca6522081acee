#pragma once

#include <cstdint>

namespace hone {

/// How many times this thread has asked `operator new` for memory; code that promises not to is held to it with this.
std::uint64_t allocation_count();

}  // namespace hone
