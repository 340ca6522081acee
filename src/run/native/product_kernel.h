#pragma once

#include <cstdint>

namespace hone::native {

/// Columns of a product that are computed together: as many floats as a vector has.
inline constexpr std::int64_t kProductBlock = 16;

/// What is done to results of a product before they are stored; functions come last.
struct ProductFinish {
  enum class Kind : std::uint8_t { add, bound, leak, scale, hard_swish, gelu, gelu_tanh, sigmoid, swish, tanh };

  Kind kind = Kind::bound;
  float alpha = 0, beta = 0;        // bounds; slope below 0; factor and summand
  const float* operand = nullptr;   // what is added to the first row and column
  std::int64_t row = 0, block = 0;  // how far apart its rows and blocks of columns lie

  bool is_function() const { return kind >= Kind::gelu; }
};

/// A tile of a product: a few rows of a matrix by a few blocks of columns of packed weights. Elements of a row, and
/// columns of the result, follow one another in blocks of 16, which may lie anywhere evenly spaced: row by row, or with
/// channels in blocks.
struct ProductCall {
  const float* a = nullptr;
  std::int64_t a_row = 0, a_block = 0;
  std::int64_t depth = 0;          // elements of a row
  const float* weights = nullptr;  // for each of these, the columns
  const float* bias = nullptr;     // of the columns, or null
  float* c = nullptr;
  std::int64_t c_row = 0, c_block = 0;
  std::int64_t last_columns = kProductBlock;    // of the last block that there are
  bool fills_block = false;                     // the others are there too, and become zero
  bool adds = false;                            // to what the result is so far
  std::int64_t first_row = 0, first_block = 0;  // of the tile in the whole, for operands of what is done last
  const ProductFinish* finishes = nullptr;
  std::int64_t finish_count = 0;
  const float* ahead = nullptr;  // weights that come next, fetched into the second cache meanwhile
  std::int64_t ahead_lines = 0;  // lines of memory of them with every 16 elements of a row
};
using ProductFunction = void (*)(const ProductCall& call);

/// How many rows tiles of one to four blocks of columns have at most.
inline constexpr std::int64_t kMostProductRows[] = {12, 12, 9, 7};
inline constexpr std::int64_t kMostProductBlocks = 4;

/// Code for tiles of so many rows and blocks; null where this processor has none.
ProductFunction product_function(std::int64_t rows, std::int64_t blocks);

/// A block of columns to be packed: for every element of a row its columns, those that there are not as zeros.
struct ColumnPacking {
  const float* from = nullptr;
  std::int64_t depth_stride = 0, column_stride = 0;
  std::int64_t depth = 0, columns = kProductBlock;
  float* to = nullptr;
  std::int64_t to_stride = 0;  // from element to element
};
/// Only where there is a `product_function`.
void pack_columns(const ColumnPacking& packing);

}  // namespace hone::native
