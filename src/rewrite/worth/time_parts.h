#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "rewrite/search/space.h"

namespace hone {

/// What the time of a graph is split into.
enum class TimePart : std::uint8_t {
  // Nodes by what they are.
  pointwise_convolution,  // windows of one element
  spatial_convolution,
  grouped_convolution,
  depthwise_convolution,
  weight_product,    // of a computed matrix and a constant one
  computed_product,  // of two computed ones
  pooling,
  activation,
  addition,
  arithmetic,  // all other pointwise work
  normalization,
  softmax,
  reduction,
  transpose,
  concatenation,
  cut,  // Split, Slice
  gathering,
  view,
  other,
  // Nodes that a runtime may make part of another, by what stands before them.
  activation_after_convolution,
  activation_after_product,
  addition_after_convolution,
  addition_after_product,
  scaling_after_convolution,  // BatchNormalization and products with constants
  part_of_normalization,      // of a LayerNormalization spelled out
  part_of_gelu,               // of a Gelu spelled out
  transpose_before_product,
  // What no node pays for.
  reordering,  // bytes that leave or enter a blocked layout
  kernels,     // that are started
};
inline constexpr std::size_t kTimeParts = static_cast<std::size_t>(TimePart::kernels) + 1;

/// What a kernel that is started counts as, in order of magnitude; weights are learned.
inline constexpr double kKernelSeconds = 1e-6;

std::string_view name_of(TimePart part);

/// Seconds of a graph by part.
struct TimeParts {
  std::array<double, kTimeParts> seconds{};

  double& operator[](TimePart part) { return seconds[static_cast<std::size_t>(part)]; }
  double operator[](TimePart part) const { return seconds[static_cast<std::size_t>(part)]; }
  /// Of all nodes: the price of the graph as searches see it.
  double sum_of_nodes() const;
};

/// Splits the price of a graph that was made from the start of a space. Takes time in the size of the graph.
TimeParts time_parts(const RewriteSpace& space, const Graph& graph);

}  // namespace hone
