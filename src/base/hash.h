#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hone {

/// Mixes a word into a running 64-bit hash; depends on the order of the calls, is the same on every machine and run.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t x = hash ^ (word * 0x9E3779B97F4A7C15ull);
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ull;
  x ^= x >> 29;
  x *= 0xA0761D6478BD642Full;
  return x ^ (x >> 32);
}

/// Hash of a byte string at memory speed: used for weights.
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);

inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0) {
  return hash_bytes(std::as_bytes(std::span(text.data(), text.size())), seed);
}

}  // namespace hone
