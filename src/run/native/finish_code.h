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
  }
}

template <class Function>
void apply(float* elements, std::int64_t count, const Function& function) {
  if (count == kProductBlock)
    for (std::int64_t i = 0; i < kProductBlock; ++i) elements[i] = function(elements[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) elements[i] = function(elements[i]);
}

void apply_function(ProductFinish::Kind kind, float* elements, std::int64_t count) {
  switch (kind) {
    case ProductFinish::Kind::gelu:
      return apply(elements, count, [](float x) { return 0.5F * x * (1.0F + erf_of(x * 0.70710678118654752F)); });
    case ProductFinish::Kind::gelu_tanh:
      return apply(elements, count, [](float x) {
        return 0.5F * x * (1.0F + tanh_of(0.79788456080286536F * (x + 0.044715F * x * x * x)));
      });
    case ProductFinish::Kind::sigmoid: return apply(elements, count, [](float x) { return sigmoid_of(x); });
    default: return apply(elements, count, [](float x) { return tanh_of(x); });
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
  if (call.finish_count == 0 || !call.finishes[call.finish_count - 1].is_function()) return;
  const ProductFinish::Kind function = call.finishes[call.finish_count - 1].kind;
  for (int row = 0; row < rows; ++row)
    for (int block = 0; block < blocks; ++block)
      apply_function(function, call.c + row * call.c_row + block * call.c_block,
                     block + 1 < blocks ? kProductBlock : call.last_columns);
}
