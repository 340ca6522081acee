#pragma once

// Results of a tile in registers and what is done to them last. Included, after <immintrin.h>, once by each file that
// is compiled for AVX-512, inside a namespace of its own, as tile_math.h is.

#include "run/native/tile_math.h"

using Vector = __m512;
using Mask = __mmask16;
constexpr Mask kAll = 0xffff;

/// Results of a tile while they are computed: all of them in registers.
template <int rows, int blocks>
struct Sums {
  Vector of[rows][blocks];

  template <class Visit>
  __attribute__((always_inline)) void each(const Visit& visit) {
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row)
#pragma GCC unroll 4
      for (int block = 0; block < blocks; ++block) of[row][block] = visit(row, block, of[row][block]);
  }
};

/// What is no number stays so: of two operands, the second comes out then.
template <int rows, int blocks>
__attribute__((always_inline)) inline void finish(Sums<rows, blocks>& sums, const ProductCall& call,
                                                  const ProductFinish& step, Mask last) {
  const Vector alpha = _mm512_set1_ps(step.alpha), beta = _mm512_set1_ps(step.beta);
  if (step.kind == ProductFinish::Kind::add) {
    const float* operand = step.operand + call.first_row * step.row + call.first_block * step.block;
    sums.each([&](int row, int block, Vector sum) {
      return _mm512_add_ps(
          sum, _mm512_maskz_loadu_ps(block + 1 == blocks ? last : kAll, operand + row * step.row + block * step.block));
    });
  } else if (step.kind == ProductFinish::Kind::bound) {
    sums.each(
        [&](int, int, Vector sum) { return _mm512_maskz_min_ps(kAll, beta, _mm512_maskz_max_ps(kAll, alpha, sum)); });
  } else if (step.kind == ProductFinish::Kind::leak) {
    sums.each([&](int, int, Vector sum) {
      return _mm512_mask_mul_ps(sum, _mm512_cmp_ps_mask(sum, _mm512_setzero_ps(), _CMP_LT_OQ), sum, alpha);
    });
  } else if (step.kind == ProductFinish::Kind::scale) {
    sums.each([&](int, int, Vector sum) { return _mm512_fmadd_ps(sum, alpha, beta); });
  } else if (step.kind == ProductFinish::Kind::hard_swish) {
    const Vector zero = _mm512_setzero_ps(), one = _mm512_set1_ps(1);
    sums.each([&](int, int, Vector sum) {
      const Vector gate = _mm512_maskz_max_ps(kAll, zero, _mm512_fmadd_ps(sum, alpha, beta));
      return _mm512_mul_ps(sum, _mm512_maskz_min_ps(kAll, one, gate));
    });
  }
}

/// Calls `visit(elements, count)` for every piece of a row of the results of a tile, where they were stored; what it
/// needs stays in registers from row to row.
template <class Visit>
__attribute__((always_inline)) inline void each_stored(const ProductCall& call, std::int64_t rows, std::int64_t blocks,
                                                       const Visit& visit) {
  const std::int64_t full = call.last_columns == kProductBlock ? blocks : blocks - 1;
  for (std::int64_t block = 0; block < full; ++block)
    for (std::int64_t row = 0; row < rows; ++row)
      visit(call.c + row * call.c_row + block * call.c_block, kProductBlock);
  if (full == blocks) return;
  for (std::int64_t row = 0; row < rows; ++row)
    visit(call.c + row * call.c_row + full * call.c_block, call.last_columns);
}

/// A function of one float.
template <class Function>
void apply(const ProductCall& call, std::int64_t rows, std::int64_t blocks, const Function& function) {
  each_stored(call, rows, blocks, [&](float* elements, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) elements[i] = function(elements[i]);
  });
}

/// A function of a vector.
template <class Function>
void apply_to_vectors(const ProductCall& call, std::int64_t rows, std::int64_t blocks, const Function& function) {
  each_stored(call, rows, blocks, [&](float* elements, std::int64_t count) {
    const auto places = static_cast<Mask>((1U << count) - 1U);
    _mm512_mask_storeu_ps(elements, places, function(_mm512_maskz_loadu_ps(places, elements)));
  });
}

/// 1 / (1 + exp(-x)), within 2 units in the last place or three: the polynomial of `exp_of`, and the processor's own
/// guess of the inverse refined by one step of Newton's method. Zero where that would be below the normal range, so
/// that its product with a large negative number is zero too.
__attribute__((always_inline)) inline Vector sigmoid_of(Vector x) {
  const auto all = [](float value) { return _mm512_set1_ps(value); };
  const Mask is_normal = _mm512_cmp_ps_mask(x, all(-87), _CMP_NLT_UQ);
  const Vector bounded = _mm512_maskz_min_ps(kAll, all(87), x);
  const Vector n = _mm512_maskz_roundscale_ps(kAll, _mm512_mul_ps(bounded, all(-1.44269504088896341F)), 0);
  Vector r = _mm512_fnmsub_ps(n, all(0.693359375F), bounded);
  r = _mm512_fnmadd_ps(n, all(-2.12194440e-4F), r);
  constexpr float kCoefficients[] = {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F,
                                     5.0000001201e-1F};
  Vector p = all(1.9875691500e-4F);
#pragma GCC unroll 8
  for (const float coefficient : kCoefficients) p = _mm512_fmadd_ps(p, r, all(coefficient));
  p = _mm512_add_ps(_mm512_fmadd_ps(p, _mm512_mul_ps(r, r), r), all(1));
  const Vector sum = _mm512_add_ps(_mm512_maskz_scalef_ps(kAll, p, n), all(1));
  const Vector guess = _mm512_maskz_rcp14_ps(kAll, sum);
  return _mm512_maskz_mul_ps(is_normal, guess, _mm512_fnmadd_ps(sum, guess, all(2)));
}

void apply_function(const ProductCall& call, std::int64_t rows, std::int64_t blocks) {
  switch (call.finishes[call.finish_count - 1].kind) {
    case ProductFinish::Kind::gelu:
      return apply(call, rows, blocks, [](float x) { return 0.5F * x * (1.0F + erf_of(x * 0.70710678118654752F)); });
    case ProductFinish::Kind::gelu_tanh:
      return apply(call, rows, blocks, [](float x) {
        return 0.5F * x * (1.0F + tanh_of(0.79788456080286536F * (x + 0.044715F * x * x * x)));
      });
    case ProductFinish::Kind::sigmoid:
      return apply_to_vectors(call, rows, blocks, [](Vector x) { return sigmoid_of(x); });
    case ProductFinish::Kind::swish:
      return apply_to_vectors(call, rows, blocks, [](Vector x) { return _mm512_mul_ps(x, sigmoid_of(x)); });
    default: return apply(call, rows, blocks, [](float x) { return tanh_of(x); });
  }
}

/// Does what is done last and stores the results.
template <int rows, int blocks>
__attribute__((always_inline)) inline void finish_and_store(Sums<rows, blocks>& sums, const ProductCall& call) {
  const auto last = static_cast<Mask>((1U << call.last_columns) - 1U);
  for (std::int64_t i = 0; i < call.finish_count; ++i) finish(sums, call, call.finishes[i], last);
  sums.each([&](int row, int block, Vector sum) {
    float* to = call.c + row * call.c_row + block * call.c_block;
    if (block + 1 < blocks) _mm512_storeu_ps(to, sum);
    else if (call.fills_block) _mm512_storeu_ps(to, _mm512_maskz_mov_ps(last, sum));
    else _mm512_mask_storeu_ps(to, last, sum);
    return sum;
  });
  if (call.finish_count > 0 && call.finishes[call.finish_count - 1].is_function()) apply_function(call, rows, blocks);
}
