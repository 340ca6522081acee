#include "bench/plain_copy.h"

#include <algorithm>
#include <cstring>

#include "base/timer.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hone {
namespace {

void copy_by_library(const std::byte* from, std::byte* to, std::size_t bytes) { std::memcpy(to, from, bytes); }

#if defined(__x86_64__)
void copy_past_caches(const std::byte* from, std::byte* to, std::size_t bytes) {
  for (std::size_t i = 0; i + 64 <= bytes; i += 64)
    for (std::size_t k = 0; k < 64; k += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i + k),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i + k)));
  _mm_sfence();
  std::memcpy(to + bytes / 64 * 64, from + bytes / 64 * 64, bytes % 64);
}

void copy_as_string(const std::byte* from, std::byte* to, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
constexpr void (*kCopies[])(const std::byte*, std::byte*, std::size_t) = {copy_by_library, copy_past_caches,
                                                                          copy_as_string};
#else
constexpr void (*kCopies[])(const std::byte*, std::byte*, std::size_t) = {copy_by_library};
#endif

}  // namespace

double plain_copy_seconds(std::span<const std::byte> from, std::span<std::byte> to) {
  double best = 1e9;
  for (const auto copy : kCopies) {
    const Timer timer;
    copy(from.data(), to.data(), from.size());
    best = std::min(best, timer.seconds());
  }
  return best;
}

}  // namespace hone
