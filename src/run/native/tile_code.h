#pragma once

// The code of tiles, compiled once for each kind of processor: the file that includes this defines HONE_TILES, the
// function that gives the table. Loops are plain, for the compiler to make vector code of.

#include <cstdint>
#include <cstring>

#include "run/native/tile_function.h"
#include "run/native/transpose.h"

namespace hone::native {
namespace {

#include "run/native/tile_math.h"
#include "run/native/tile_operations.h"

template <class Out, class In, class F>
void run_unary(const TileCall& call) {
  const In* __restrict x = static_cast<const In*>(call.values[0]);
  Out* __restrict y = static_cast<Out*>(call.result);
  const std::int64_t count = call.rows * call.columns;
  for (std::int64_t i = 0; i < count; ++i) y[i] = F::of(x[i]);
}

template <class T>
void run_spread(const TileCall& call) {
  const T* __restrict x = static_cast<const T*>(call.values[0]);
  T* __restrict y = static_cast<T*>(call.result);
  for (std::int64_t row = 0; row < call.rows; ++row)
    for (std::int64_t i = 0; i < call.columns; ++i) y[row * call.columns + i] = x[row];
}

template <class Out, class In, class F, bool a_by_row, bool b_by_row>
void run_binary(const TileCall& call) {
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const In* a = static_cast<const In*>(call.values[0]) + row * (a_by_row ? 1 : call.columns);
    const In* b = static_cast<const In*>(call.values[1]) + row * (b_by_row ? 1 : call.columns);
    Out* __restrict y = static_cast<Out*>(call.result) + row * call.columns;
    const In first_a = *a, first_b = *b;
    for (std::int64_t i = 0; i < call.columns; ++i) y[i] = F::of(a_by_row ? first_a : a[i], b_by_row ? first_b : b[i]);
  }
}

template <class T, bool by_row_0, bool by_row_1, bool by_row_2>
void run_select(const TileCall& call) {
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const float* condition = static_cast<const float*>(call.values[0]) + row * (by_row_0 ? 1 : call.columns);
    const T* a = static_cast<const T*>(call.values[1]) + row * (by_row_1 ? 1 : call.columns);
    const T* b = static_cast<const T*>(call.values[2]) + row * (by_row_2 ? 1 : call.columns);
    T* __restrict y = static_cast<T*>(call.result) + row * call.columns;
    const float first = *condition;
    const T first_a = *a, first_b = *b;
    for (std::int64_t i = 0; i < call.columns; ++i)
      y[i] = (by_row_0 ? first : condition[i]) != 0.0F ? (by_row_1 ? first_a : a[i]) : (by_row_2 ? first_b : b[i]);
  }
}

// Folds of wide vectors; maximum and minimum keep what is not a number.
using Wide = float __attribute__((vector_size(64)));
inline Wide fold_wide(Add, Wide a, Wide b) { return a + b; }
inline Wide fold_wide(Multiply, Wide a, Wide b) { return a * b; }
inline Wide fold_wide(Maximum, Wide a, Wide b) { return ((a > b) | (a != a)) ? a : b; }
inline Wide fold_wide(Minimum, Wide a, Wide b) { return ((a < b) | (a != a)) ? a : b; }
inline Wide load_wide(const float* x) {
  Wide wide;
  std::memcpy(&wide, x, sizeof wide);
  return wide;
}

/// A row in a fixed order: two strands of wide vectors, then their places, then what is left.
template <class F>
float fold_row(const float* x, std::int64_t columns, float start) {
  constexpr std::int64_t kPlaces = 16;
  float last = start;
  std::int64_t i = 0;
  if (columns >= kPlaces) {
    Wide one = load_wide(x);
    i = kPlaces;
    if (columns >= 2 * kPlaces) {
      Wide two = load_wide(x + kPlaces);
      for (i = 2 * kPlaces; i + 2 * kPlaces <= columns; i += 2 * kPlaces) {
        one = fold_wide(F(), one, load_wide(x + i));
        two = fold_wide(F(), two, load_wide(x + i + kPlaces));
      }
      if (i + kPlaces <= columns) {
        one = fold_wide(F(), one, load_wide(x + i));
        i += kPlaces;
      }
      one = fold_wide(F(), one, two);
    }
    one = fold_wide(F(), one, __builtin_shufflevector(one, one, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    one = fold_wide(F(), one, __builtin_shufflevector(one, one, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    one = fold_wide(F(), one, __builtin_shufflevector(one, one, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    last = F::of(one[0], one[1]);
  }
  for (; i < columns; ++i) last = F::of(last, x[i]);
  return last;
}

template <class F, class T>
T fold_row(const T* x, std::int64_t columns, T start) {
  for (std::int64_t i = 0; i < columns; ++i) start = F::of(start, x[i]);
  return start;
}

template <class T, class F>
void run_fold(const TileCall& call, T start) {
  for (std::int64_t row = 0; row < call.rows; ++row)
    static_cast<T*>(call.result)[row] =
        fold_row<F>(static_cast<const T*>(call.values[0]) + row * call.columns, call.columns, start);
}
template <class T>
void run_row_sum(const TileCall& call) {
  run_fold<T, Add>(call, 0);
}
template <class T>
void run_row_product(const TileCall& call) {
  run_fold<T, Multiply>(call, 1);
}
inline float lowest_of(float) { return -__builtin_inff(); }
inline float highest_of(float) { return __builtin_inff(); }
inline double lowest_of(double) { return -__builtin_inf(); }
inline double highest_of(double) { return __builtin_inf(); }
inline Integer lowest_of(Integer) { return INT64_MIN; }
inline Integer highest_of(Integer) { return INT64_MAX; }
template <class T>
void run_row_maximum(const TileCall& call) {
  run_fold<T, Maximum>(call, lowest_of(T(0)));
}
template <class T>
void run_row_minimum(const TileCall& call) {
  run_fold<T, Minimum>(call, highest_of(T(0)));
}

template <class Out, class In, class F>
TileFunction binary_by_rows(unsigned by_row) {
  switch (by_row & 3) {
    case 0: return run_binary<Out, In, F, false, false>;
    case 1: return run_binary<Out, In, F, true, false>;
    case 2: return run_binary<Out, In, F, false, true>;
    default: return nullptr;
  }
}

template <class T>
TileFunction select_by_rows(unsigned by_row) {
  constexpr TileFunction kTable[] = {run_select<T, false, false, false>, run_select<T, true, false, false>,
                                     run_select<T, false, true, false>,  run_select<T, true, true, false>,
                                     run_select<T, false, false, true>,  run_select<T, true, false, true>,
                                     run_select<T, false, true, true>,   nullptr};
  return kTable[by_row & 7];
}

/// Calls `with` with an element of the type that a tile of values of a loop has.
template <class With>
TileFunction by_type(LoopType type, With with) {
  switch (type) {
    case LoopType::integer: return with(Integer());
    case LoopType::wide: return with(double());
    default: return with(float());
  }
}
/// Of arithmetic that integers and reals have.
template <class F>
TileFunction arithmetic(const TileTask& task) {
  return by_type(task.type, [&](auto x) { return binary_by_rows<decltype(x), decltype(x), F>(task.by_row); });
}
template <class F>
TileFunction comparison(const TileTask& task) {
  return by_type(task.type, [&](auto x) { return binary_by_rows<float, decltype(x), F>(task.by_row); });
}
template <class F>
TileFunction unary(const TileTask& task) {
  return by_type(task.type, [&](auto x) -> TileFunction { return run_unary<decltype(x), decltype(x), F>; });
}
/// Of what only reals have.
template <class F>
TileFunction real_unary(const TileTask& task) {
  return task.type == LoopType::wide ? run_unary<double, double, F> : run_unary<float, float, F>;
}
template <class F>
TileFunction question(const TileTask& task) {
  return by_type(task.type, [&](auto x) -> TileFunction { return run_unary<float, decltype(x), F>; });
}
template <class To, class F>
TileFunction conversion(const TileTask& task) {
  return by_type(task.type, [&](auto x) -> TileFunction { return run_unary<To, decltype(x), F>; });
}

TileFunction find_unary(const TileTask& task) {
  switch (task.op) {
    case LoopOp::negate: return unary<Negate>(task);
    case LoopOp::absolute: return unary<Absolute>(task);
    case LoopOp::sign: return unary<Sign>(task);
    case LoopOp::exp: return real_unary<Exp>(task);
    case LoopOp::log: return real_unary<Log>(task);
    case LoopOp::log_plus_one: return real_unary<LogPlusOne>(task);
    case LoopOp::sqrt: return real_unary<Sqrt>(task);
    case LoopOp::reciprocal: return real_unary<Reciprocal>(task);
    case LoopOp::tanh: return real_unary<Tanh>(task);
    case LoopOp::sigmoid: return real_unary<Sigmoid>(task);
    case LoopOp::erf: return real_unary<Erf>(task);
    case LoopOp::sine: return real_unary<Sine>(task);
    case LoopOp::cosine: return real_unary<Cosine>(task);
    case LoopOp::floor: return real_unary<Floor>(task);
    case LoopOp::ceiling: return real_unary<Ceiling>(task);
    case LoopOp::round: return real_unary<Round>(task);
    case LoopOp::inverse: return run_unary<float, float, Inverse>;
    case LoopOp::is_nan: return question<IsNaN>(task);
    case LoopOp::to_real: return conversion<float, To<float>>(task);
    case LoopOp::to_wide: return conversion<double, To<double>>(task);
    case LoopOp::to_integer: return conversion<Integer, ToInteger>(task);
    case LoopOp::to_truth: return question<NotZero>(task);
    case LoopOp::spread: return by_type(task.type, [](auto x) -> TileFunction { return run_spread<decltype(x)>; });
    default: return nullptr;
  }
}

TileFunction find_fold(const TileTask& task) {
  return by_type(task.type, [&](auto x) -> TileFunction {
    using T = decltype(x);
    switch (task.op) {
      case LoopOp::row_sum: return run_row_sum<T>;
      case LoopOp::row_product: return run_row_product<T>;
      case LoopOp::row_minimum: return run_row_minimum<T>;
      default: return run_row_maximum<T>;
    }
  });
}

TileFunction find_integer_binary(const TileTask& task) {
  switch (task.op) {
    case LoopOp::bit_and: return binary_by_rows<Integer, Integer, BitAnd>(task.by_row);
    case LoopOp::shift_left: return binary_by_rows<Integer, Integer, ShiftLeft>(task.by_row);
    case LoopOp::shift_right: return binary_by_rows<Integer, Integer, ShiftRight>(task.by_row);
    default: return find_unary(task);
  }
}

TileFunction find_function(const TileTask& task) {
  if (folds_rows(task.op)) return find_fold(task);
  switch (task.op) {
    case LoopOp::add: return arithmetic<Add>(task);
    case LoopOp::subtract: return arithmetic<Subtract>(task);
    case LoopOp::multiply: return arithmetic<Multiply>(task);
    case LoopOp::divide: return arithmetic<Divide>(task);
    case LoopOp::modulo: return arithmetic<Modulo>(task);
    case LoopOp::minimum: return arithmetic<Minimum>(task);
    case LoopOp::maximum: return arithmetic<Maximum>(task);
    case LoopOp::power:
      return task.type == LoopType::wide ? binary_by_rows<double, double, Power>(task.by_row)
                                         : binary_by_rows<float, float, Power>(task.by_row);
    case LoopOp::less: return comparison<Less>(task);
    case LoopOp::less_equal: return comparison<LessEqual>(task);
    case LoopOp::equal: return comparison<Equal>(task);
    case LoopOp::both: return binary_by_rows<float, float, Both>(task.by_row);
    case LoopOp::either: return binary_by_rows<float, float, Either>(task.by_row);
    case LoopOp::unlike: return binary_by_rows<float, float, Unlike>(task.by_row);
    case LoopOp::select: return by_type(task.type, [&](auto x) { return select_by_rows<decltype(x)>(task.by_row); });
    default: return find_integer_binary(task);
  }
}

/// Goes through a tile along the axis in which the array lies closer together, in squares that stay in the first cache.
template <class Visit>
void visit_tile(const TileCopy& copy, Visit visit) {
  if (copy.column_stride == 1 || copy.rows == 1 || copy.row_stride == 0) {
    for (std::int64_t row = 0; row < copy.rows; ++row) visit(row, 0, copy.columns);
    return;
  }
  constexpr std::int64_t kSquare = 16;
  for (std::int64_t first = 0; first < copy.columns; first += kSquare) {
    const std::int64_t last = first + kSquare < copy.columns ? first + kSquare : copy.columns;
    for (std::int64_t row = 0; row < copy.rows; ++row) visit(row, first, last);
  }
}

template <class Tile, class Stored, bool truth>
void load_tile(const TileCopy& copy) {
  visit_tile(copy, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    const Stored* __restrict from = static_cast<const Stored*>(copy.array) + row * copy.row_stride;
    Tile* __restrict to = static_cast<Tile*>(copy.tile) + row * copy.columns;
    const std::int64_t stride = copy.column_stride;
    if (stride == 1)
      for (std::int64_t i = first; i < last; ++i) to[i] = truth ? Tile(from[i] != 0) : static_cast<Tile>(from[i]);
    else
      for (std::int64_t i = first; i < last; ++i)
        to[i] = truth ? Tile(from[i * stride] != 0) : static_cast<Tile>(from[i * stride]);
  });
}

template <class Tile, class Stored>
void store_tile(const TileCopy& copy) {
  visit_tile(copy, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    Stored* __restrict to = static_cast<Stored*>(copy.array) + row * copy.row_stride;
    const Tile* __restrict from = static_cast<const Tile*>(copy.tile) + row * copy.columns;
    const std::int64_t stride = copy.column_stride;
    if (stride == 1)
      for (std::int64_t i = first; i < last; ++i) to[i] = static_cast<Stored>(from[i]);
    else
      for (std::int64_t i = first; i < last; ++i) to[i * stride] = static_cast<Stored>(from[i]);
  });
}

/// Elements of 16 bits that are floats of fewer digits.
template <float (*decode)(std::uint16_t)>
void load_halves(const TileCopy& copy) {
  visit_tile(copy, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    const auto* __restrict from = static_cast<const std::uint16_t*>(copy.array) + row * copy.row_stride;
    auto* __restrict to = static_cast<float*>(copy.tile) + row * copy.columns;
    for (std::int64_t i = first; i < last; ++i) to[i] = decode(from[i * copy.column_stride]);
  });
}
template <std::uint16_t (*encode)(float)>
void store_halves(const TileCopy& copy) {
  visit_tile(copy, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    auto* __restrict to = static_cast<std::uint16_t*>(copy.array) + row * copy.row_stride;
    const auto* __restrict from = static_cast<const float*>(copy.tile) + row * copy.columns;
    for (std::int64_t i = first; i < last; ++i) to[i * copy.column_stride] = encode(from[i]);
  });
}

void load_floats(const TileCopy& copy) {
  if (copy.row_stride == 1 && copy.column_stride != 1 && copy.rows >= 4)
    transpose_strips(static_cast<const float*>(copy.array), copy.column_stride, static_cast<float*>(copy.tile),
                     copy.columns, copy.rows, copy.columns);
  else load_tile<float, float, false>(copy);
}

void store_floats(const TileCopy& copy) {
  if (copy.row_stride == 1 && copy.column_stride != 1 && copy.rows >= 4)
    transpose_strips(static_cast<const float*>(copy.tile), copy.columns, static_cast<float*>(copy.array),
                     copy.column_stride, copy.columns, copy.rows);
  else store_tile<float, float>(copy);
}

TileCopyFunction find_loading(ElementType element) {
  switch (element) {
    case ElementType::float32: return load_floats;
    case ElementType::int64: return load_tile<Integer, std::int64_t, false>;
    case ElementType::int32: return load_tile<Integer, std::int32_t, false>;
    case ElementType::float64: return load_tile<double, double, false>;
    case ElementType::float16: return load_halves<half_to_float>;
    case ElementType::bfloat16: return load_halves<upper_half_to_float>;
    case ElementType::uint64: return load_tile<Integer, std::int64_t, false>;
    case ElementType::uint32: return load_tile<Integer, std::uint32_t, false>;
    case ElementType::int16: return load_tile<Integer, std::int16_t, false>;
    case ElementType::uint16: return load_tile<Integer, std::uint16_t, false>;
    case ElementType::int8: return load_tile<Integer, std::int8_t, false>;
    case ElementType::uint8: return load_tile<Integer, std::uint8_t, false>;
    default: return load_tile<float, std::uint8_t, true>;
  }
}

TileCopyFunction find_storing(ElementType element) {
  switch (element) {
    case ElementType::float32: return store_floats;
    case ElementType::int64: return store_tile<Integer, std::int64_t>;
    case ElementType::int32: return store_tile<Integer, std::int32_t>;
    case ElementType::float64: return store_tile<double, double>;
    case ElementType::float16: return store_halves<float_to_half>;
    case ElementType::bfloat16: return store_halves<float_to_upper_half>;
    case ElementType::uint64: return store_tile<Integer, std::int64_t>;
    case ElementType::uint32: return store_tile<Integer, std::uint32_t>;
    case ElementType::int16: return store_tile<Integer, std::int16_t>;
    case ElementType::uint16: return store_tile<Integer, std::uint16_t>;
    case ElementType::int8: return store_tile<Integer, std::int8_t>;
    case ElementType::uint8: return store_tile<Integer, std::uint8_t>;
    default: return store_tile<float, std::uint8_t>;
  }
}

}  // namespace

TileFunctions HONE_TILES() { return {.find = find_function, .loading = find_loading, .storing = find_storing}; }

}  // namespace hone::native
