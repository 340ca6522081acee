#include "base/hash.h"

#include <cstring>

namespace hone {
namespace {

std::uint64_t load_word(const std::byte* from, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, count);
  return word;
}

}  // namespace

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  // Four independent lanes keep the multipliers of the core busy; a single chain would wait for each product.
  constexpr std::uint64_t kPrime = 0x9FB21C651E98DF25ull;
  std::uint64_t lane[4] = {seed ^ 0x8EBC6AF09C88C6E3ull, seed ^ 0x589965CC75374CC3ull, seed ^ 0x1D8E4E27C47D124Full,
                           seed ^ 0xEB44ACCAB455D165ull};
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 32; at += 32, left -= 32) {
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t x = (lane[i] ^ load_word(at + 8 * i, 8)) * kPrime;
      lane[i] = x ^ (x >> 31);
    }
  }
  std::uint64_t hash = mix(mix(mix(mix(bytes.size(), lane[0]), lane[1]), lane[2]), lane[3]);
  for (; left >= 8; at += 8, left -= 8) hash = mix(hash, load_word(at, 8));
  return left > 0 ? mix(hash, load_word(at, left)) : hash;
}

}  // namespace hone
