#pragma once

#include <cstddef>
#include <span>

namespace hone {

/// Seconds that the fastest of a processor's plain ways to copy takes once: by the library's function, past the caches,
/// or by the instruction for strings. Both sides begin at multiples of 16 bytes and are as long.
double plain_copy_seconds(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace hone
