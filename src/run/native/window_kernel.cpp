#include "run/native/window_kernel.h"

// Compiled with the flags of processors with AVX-512, see CMakeLists.txt; called only on those.

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace hone::native {

#if defined(__AVX512F__)
namespace {

#include "run/native/finish_code.h"

constexpr int kWindowPlaces = 7;  // of a tile; widths of images are multiples of it more often than not

/// Elements of a window, or columns of a tile, that lie inside of the plane.
struct InsideRange {
  std::int64_t first = 0, last = 0;
};

InsideRange taps_inside(const WindowSlide& slide, std::int64_t start) {
  const std::int64_t step = slide.dilation, before = start >= 0 ? 0 : step - 1 - start,
                     until = start >= slide.size ? 0 : slide.size - start + step - 1;
  const std::int64_t first = step == 1 ? before : before / step, end = step == 1 ? until : until / step;
  const std::int64_t last = end < slide.taps ? end : slide.taps;
  return {first, last < first ? first : last};
}

/// A tile of a row: places of the window that follow one another.
struct WindowTile {
  InsideRange rows;             // of the window
  const float* from = nullptr;  // the first of these rows, in the column that the first window begins with
  std::int64_t start = 0;       // that column
  Mask lanes = kAll;
  ProductCall result;
};

template <WindowWork work>
__attribute__((always_inline)) inline Vector with_element(Vector sum, Vector x, Vector weight) {
  if constexpr (work == WindowWork::weighted_sum) return _mm512_fmadd_ps(x, weight, sum);
  if constexpr (work == WindowWork::largest) return _mm512_maskz_max_ps(kAll, x, sum);
  return _mm512_add_ps(sum, x);
}

template <WindowWork work, int places>
__attribute__((always_inline)) inline void begin(Sums<places, 1>& sums, const float* bias) {
  Vector first = _mm512_setzero_ps();
  if (work == WindowWork::largest) first = _mm512_set1_ps(-__FLT_MAX__);
  if (work == WindowWork::weighted_sum && bias != nullptr) first = _mm512_loadu_ps(bias);
  sums.each([&](int, int, Vector) { return first; });
}

/// Sums become means of the elements that are inside, or of all that the window covers.
template <bool is_inside, int places>
__attribute__((always_inline)) inline void divide(Sums<places, 1>& sums, const WindowCall& call,
                                                  const WindowTile& tile) {
  const std::int64_t rows = call.counts_padding ? call.down.taps : tile.rows.last - tile.rows.first;
  const auto count_of = [&](int place) {
    if (is_inside || call.counts_padding) return rows * call.along.taps;
    const InsideRange columns = taps_inside(call.along, tile.start + place * call.along.stride);
    return rows * (columns.last - columns.first);
  };
  sums.each([&](int i, int, Vector sum) {
    const std::int64_t count = count_of(i);
    return _mm512_div_ps(sum, _mm512_set1_ps(static_cast<float>(count > 0 ? count : 1)));
  });
}

/// Every element of a row is read once, for all windows that cover it: of a tile that has all places, with windows of
/// so many columns.
template <WindowWork work, int taps, int stride, bool is_inside>
void window_tile(const WindowCall& call, const WindowTile& tile) {
  constexpr int kColumns = (kWindowPlaces - 1) * stride + taps;
  const std::int64_t next = call.along.from, first = is_inside ? 0 : -tile.start,
                     last = is_inside ? kColumns : call.along.size - tile.start;
  const float* from = tile.from;
  const float* weights = call.weights;
  if constexpr (work == WindowWork::weighted_sum) weights += tile.rows.first * taps * kProductBlock;
  Sums<kWindowPlaces, 1> sums;
  begin<work>(sums, tile.result.bias);
  for (std::int64_t row = tile.rows.first; row < tile.rows.last; ++row) {
    Vector weight[taps] = {};
    if constexpr (work == WindowWork::weighted_sum)
#pragma GCC unroll 8
      for (int tap = 0; tap < taps; ++tap, weights += kProductBlock) weight[tap] = _mm512_loadu_ps(weights);
#pragma GCC unroll 32
    for (int column = 0; column < kColumns; ++column) {
      if (!is_inside && (column < first || column >= last)) continue;
      const Vector x = _mm512_maskz_loadu_ps(tile.lanes, from + column * next);
#pragma GCC unroll 8
      for (int tap = 0; tap < taps; ++tap)
        if ((column - tap) % stride == 0 && column >= tap && (column - tap) / stride < kWindowPlaces)
          sums.of[(column - tap) / stride][0] = with_element<work>(sums.of[(column - tap) / stride][0], x, weight[tap]);
    }
    from += call.down.dilation * call.down.from;
  }
  if constexpr (work == WindowWork::mean) divide<is_inside>(sums, call, tile);
  finish_and_store(sums, tile.result);
}

template <WindowWork work, int taps, int stride>
void window_rows(const WindowCall& call) {
  const WindowSlide &down = call.down, &along = call.along;
  WindowTile tile{.rows = {}, .result = call.result};
  tile.result.c_row = along.to;
  if (!call.has_all_lanes) tile.lanes = static_cast<Mask>((1U << call.result.last_columns) - 1U);
  for (std::int64_t row = call.first_row; row < call.last_row; ++row) {
    const std::int64_t top = row * down.stride - down.pad;
    tile.rows = taps_inside(down, top);
    const float* const from = call.source + (top + tile.rows.first * down.dilation) * down.from;
    for (std::int64_t place = 0; place < along.results; place += kWindowPlaces) {
      // The last tile begins where it has all its places: some are computed twice, and are the same.
      const std::int64_t most = along.results - kWindowPlaces, at = place < most ? place : most;
      tile.start = at * stride - along.pad;
      tile.from = from + tile.start * along.from;
      tile.result.c = call.result.c + row * down.to + at * along.to;
      tile.result.first_row = row * along.results + at;
      const bool is_inside = tile.start >= 0 && tile.start + (kWindowPlaces - 1) * stride + taps <= along.size;
      if (is_inside) window_tile<work, taps, stride, true>(call, tile);
      else window_tile<work, taps, stride, false>(call, tile);
    }
  }
}

template <WindowWork work, int taps>
WindowFunction strided_rows(const WindowSlide& along) {
  return along.stride == 1 ? window_rows<work, taps, 1> : window_rows<work, taps, 2>;
}

template <WindowWork work>
WindowFunction pooling_rows(const WindowSlide& along) {
  switch (along.taps) {
    case 2: return strided_rows<work, 2>(along);
    case 3: return strided_rows<work, 3>(along);
    default: return nullptr;
  }
}

WindowFunction weighted_rows(const WindowSlide& along) {
  switch (along.taps) {
    case 3: return strided_rows<WindowWork::weighted_sum, 3>(along);
    case 5: return strided_rows<WindowWork::weighted_sum, 5>(along);
    case 7: return strided_rows<WindowWork::weighted_sum, 7>(along);
    default: return nullptr;
  }
}

}  // namespace

WindowFunction window_function(WindowWork work, const WindowSlide& along) {
  if (!__builtin_cpu_supports("avx512f")) return nullptr;
  // Of rows that tiles cover badly too many places would be computed twice.
  const std::int64_t computed = (along.results + kWindowPlaces - 1) / kWindowPlaces * kWindowPlaces;
  if (along.results < kWindowPlaces || 4 * computed > 5 * along.results) return nullptr;
  if (along.dilation != 1 || along.stride > 2) return nullptr;
  switch (work) {
    case WindowWork::weighted_sum: return weighted_rows(along);
    case WindowWork::largest: return pooling_rows<WindowWork::largest>(along);
    default: return pooling_rows<WindowWork::mean>(along);
  }
}
#else
WindowFunction window_function(WindowWork, const WindowSlide&) { return nullptr; }
#endif

}  // namespace hone::native
