#include "run/native/tile_function.h"

namespace hone::native {
namespace {

TileFunctions choose_tiles() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return avx512_tiles();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_tiles();
#endif
  return baseline_tiles();
}

}  // namespace

const TileFunctions& tile_functions() {
  static const TileFunctions chosen = choose_tiles();
  return chosen;
}

}  // namespace hone::native
