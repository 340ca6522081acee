#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hone {

/// The SHA-256 of bytes as 64 hexadecimal digits, by which users know files.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace hone
