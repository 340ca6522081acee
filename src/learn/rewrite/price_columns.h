#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "rewrite/worth/node_sort.h"

namespace hone {

/// Columns of what networks of prices see of a node; sizes are logarithms.
enum class PriceColumn : std::uint8_t {
  roofline,  // what it takes by the roofline of an ordinary processor
  flops,
  read_bytes,  // that other nodes or callers made
  written_bytes,
  weight_bytes,
  rows,   // of a product; elements of a convolution's window
  inner,  // of a product: what is summed over; channels a group of a convolution
  last,   // dim of what is written
  before_last,
  rank,
  readers,       // of what is written
  is_answer,     // written for the caller
  keeps_last,    // of a transpose: the last axis stays
  is_broadcast,  // operands differ in size
  has_constant,  // an operand is a constant
  is_line,       // a convolution along one axis
  strided,       // a window that skips
  all_weights,   // of the whole graph: what caches hold from run to run depends on it
};
inline constexpr std::size_t kPriceNumbers = static_cast<std::size_t>(PriceColumn::all_weights) + 1;
inline constexpr std::size_t kPricedOperators = 64;  // told apart by name
/// Options of runtimes under the names of the moves that set them; the column of each is 1 for all nodes that run so.
inline constexpr std::string_view kPricedOptions[] = {"without SkipLayerNormFusion", "without MatMulAddFusion",
                                                      "without TransposeOptimizer", "layout blocks",
                                                      "layout channels-last"};
inline constexpr std::size_t kFirstOption = kPriceNumbers + kNodeSorts + kPricedOperators;
inline constexpr std::size_t kPriceColumns = kFirstOption + std::size(kPricedOptions);

}  // namespace hone
