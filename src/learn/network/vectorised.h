#pragma once

#include <cstdint>

namespace hone {

/// How wide the vectors of a processor are.
enum class VectorBits : std::uint16_t { sse = 128, avx2 = 256, avx512 = 512 };

template <VectorBits bits>
struct VectorWidth {
  static constexpr VectorBits value = bits;
};

/// Code that is compiled once for each width of vectors: a lambda `[&](auto width) HONE_INLINED { ... }`.
#define HONE_INLINED __attribute__((always_inline))

template <class Body>
void run_narrow(const Body& body) {
  body(VectorWidth<VectorBits::sse>());
}

#if defined(__x86_64__)
template <class Body>
__attribute__((target("avx2,fma"))) void run_avx2(const Body& body) {
  body(VectorWidth<VectorBits::avx2>());
}
template <class Body>
__attribute__((target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq"))) void run_avx512(const Body& body) {
  body(VectorWidth<VectorBits::avx512>());
}
#endif

/// Runs the body as it was compiled for the widest vectors that this processor has.
template <class Body>
void vectorised(const Body& body) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  static const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                                 __builtin_cpu_supports("avx512dq");
  if (has_avx512) return run_avx512(body);
  if (has_avx2) return run_avx2(body);
#endif
  run_narrow(body);
}

}  // namespace hone
