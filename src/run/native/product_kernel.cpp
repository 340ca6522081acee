#include "run/native/product_kernel.h"

// Compiled with the flags of processors with AVX-512, see CMakeLists.txt; called only on those.

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace hone::native {

#if defined(__AVX512F__)
namespace {

#include "run/native/finish_code.h"

constexpr std::int64_t kFetchedAhead = 256;  // floats of weights, from the second cache into the first

template <int rows, int blocks>
__attribute__((always_inline)) inline void start(Sums<rows, blocks>& sums, const ProductCall& call, Mask last) {
  if (call.adds)
    return sums.each([&](int row, int block, Vector) {
      return _mm512_maskz_loadu_ps(block + 1 == blocks ? last : kAll, call.c + row * call.c_row + block * call.c_block);
    });
  if (call.bias != nullptr)
    return sums.each([&](int, int block, Vector) { return _mm512_loadu_ps(call.bias + block * kProductBlock); });
  sums.each([](int, int, Vector) { return _mm512_setzero_ps(); });
}

template <int rows, int blocks>
__attribute__((always_inline)) inline void multiply(Sums<rows, blocks>& sums, const ProductCall& call) {
  const float* weights = call.weights;
  const float* a = call.a;
  const float* ahead = call.ahead;
  const std::int64_t a_row = call.a_row;
  for (std::int64_t depth = 0; depth < call.depth; depth += kProductBlock, a += call.a_block) {
    const std::int64_t count = call.depth - depth < kProductBlock ? call.depth - depth : kProductBlock;
    // The processor does not foresee the rows of the next tile, nor the next block where blocks lie apart.
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) _mm_prefetch(a + (rows + row) * a_row, _MM_HINT_T1);
    if (call.a_block != kProductBlock)
#pragma GCC unroll 16
      for (int row = 0; row < rows; ++row) _mm_prefetch(a + call.a_block + row * a_row, _MM_HINT_T0);
    for (std::int64_t line = 0; line < call.ahead_lines; ++line, ahead += kProductBlock)
      _mm_prefetch(ahead, _MM_HINT_T1);
    for (std::int64_t k = 0; k < count; ++k, weights += blocks * kProductBlock) {
      Vector columns[blocks];
#pragma GCC unroll 4
      for (int block = 0; block < blocks; ++block)
        _mm_prefetch(weights + kFetchedAhead + block * kProductBlock, _MM_HINT_T0);
#pragma GCC unroll 4
      for (int block = 0; block < blocks; ++block) columns[block] = _mm512_loadu_ps(weights + block * kProductBlock);
#pragma GCC unroll 16
      for (int row = 0; row < rows; ++row) {
        const Vector x = _mm512_set1_ps(a[row * a_row + k]);
#pragma GCC unroll 4
        for (int block = 0; block < blocks; ++block)
          sums.of[row][block] = _mm512_fmadd_ps(x, columns[block], sums.of[row][block]);
      }
    }
  }
}

template <int rows, int blocks>
void product_tile(const ProductCall& call) {
  const auto last = static_cast<Mask>((1U << call.last_columns) - 1U);
  Sums<rows, blocks> sums;
  start(sums, call, last);
  multiply(sums, call);
  finish_and_store(sums, call);
}

template <int blocks, int most = kMostProductRows[blocks - 1]>
ProductFunction tile_of(std::int64_t rows) {
  if constexpr (most > 1)
    if (rows < most) return tile_of<blocks, most - 1>(rows);
  return product_tile<most, blocks>;
}

/// Columns that lie side by side, element after element.
void pack_rows(const ColumnPacking& packing) {
  const auto mask = static_cast<Mask>((1U << packing.columns) - 1U);
  for (std::int64_t k = 0; k < packing.depth; ++k)
    _mm512_storeu_ps(packing.to + k * packing.to_stride,
                     _mm512_maskz_loadu_ps(mask, packing.from + k * packing.depth_stride));
}

/// Four elements of sixteen columns, each of which lies element after element: four columns apart share a vector, so
/// that only parts of vectors are exchanged.
void pack_four(const ColumnPacking& packing, std::int64_t k) {
  __m512 columns[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const float* from = packing.from + k + i * packing.column_stride;
    const std::int64_t apart = 4 * packing.column_stride;
    const __m512 first = _mm512_castps128_ps512(_mm_loadu_ps(from));
    const __m512 second = _mm512_mask_broadcast_f32x4(first, 0x00f0, _mm_loadu_ps(from + apart));
    const __m512 third = _mm512_mask_broadcast_f32x4(second, 0x0f00, _mm_loadu_ps(from + 2 * apart));
    columns[i] = _mm512_mask_broadcast_f32x4(third, 0xf000, _mm_loadu_ps(from + 3 * apart));
  }
  const __m512d low_first = _mm512_castps_pd(_mm512_maskz_unpacklo_ps(kAll, columns[0], columns[1])),
                low_second = _mm512_castps_pd(_mm512_maskz_unpacklo_ps(kAll, columns[2], columns[3])),
                high_first = _mm512_castps_pd(_mm512_maskz_unpackhi_ps(kAll, columns[0], columns[1])),
                high_second = _mm512_castps_pd(_mm512_maskz_unpackhi_ps(kAll, columns[2], columns[3]));
  float* to = packing.to + k * packing.to_stride;
  _mm512_storeu_ps(to, _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(0xff, low_first, low_second)));
  _mm512_storeu_ps(to + packing.to_stride, _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(0xff, low_first, low_second)));
  _mm512_storeu_ps(to + 2 * packing.to_stride,
                   _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(0xff, high_first, high_second)));
  _mm512_storeu_ps(to + 3 * packing.to_stride,
                   _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(0xff, high_first, high_second)));
}

}  // namespace

void pack_columns(const ColumnPacking& packing) {
  if (packing.column_stride == 1) return pack_rows(packing);
  std::int64_t k = 0;
  if (packing.depth_stride == 1 && packing.columns == kProductBlock)
    for (; k + 4 <= packing.depth; k += 4) pack_four(packing, k);
  for (; k < packing.depth; ++k)
    for (std::int64_t column = 0; column < kProductBlock; ++column)
      packing.to[k * packing.to_stride + column] =
          column < packing.columns ? packing.from[k * packing.depth_stride + column * packing.column_stride] : 0.0F;
}

ProductFunction product_function(std::int64_t rows, std::int64_t blocks) {
  if (!__builtin_cpu_supports("avx512f")) return nullptr;
  switch (blocks) {
    case 1: return tile_of<1>(rows);
    case 2: return tile_of<2>(rows);
    case 3: return tile_of<3>(rows);
    default: return tile_of<4>(rows);
  }
}
#else
ProductFunction product_function(std::int64_t, std::int64_t) { return nullptr; }
void pack_columns(const ColumnPacking&) {}
#endif

}  // namespace hone::native
