#pragma once

#include <cstddef>
#include <vector>

namespace hone {

/// Processors this process may run on.
std::vector<std::size_t> allowed_processors();

/// Keeps this process on the `count` processors that were least busy during a short look at the system, so that its
/// threads are not moved about; returns them. Does nothing when the process may use no more than that many anyway.
std::vector<std::size_t> pin_process(std::size_t count);

}  // namespace hone
