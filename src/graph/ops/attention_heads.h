#pragma once

#include <cstdint>

#include "graph/ops/real_array.h"

// Scaled dot-product attention on heads laid out as [batch, heads, places, size]: what the attention operators share.

namespace hone {

/// [batch, places, heads * size] as [batch, heads, places, size].
RealArray split_heads(const NodeReader& node, const RealArray& flat, std::int64_t heads);
/// [batch, heads, places, size] as [batch, places, heads * size].
RealArray merge_heads(const RealArray& heads);

/// Keys or values of the past followed by the present ones, along the axis of places. An empty past adds nothing.
RealArray after_past(const NodeReader& node, const RealArray& past, const RealArray& present);

/// Attention over one batch of heads. Key and value heads may be fewer than query heads, each then serving several.
struct HeadAttention {
  RealArray query;  // [batch, heads, queries, size]
  RealArray key;    // [batch, key heads, keys, size]
  RealArray value;  // [batch, key heads, keys, value size]
  double scale = 1;
  double soft_cap = 0;  // scores are bent to stay within this; 0 for not
  RealArray mask;       // added to the scores; each dim is that of [batch, heads, queries, keys] or 1. Empty for none.

  /// softmax(query * key^T * scale + mask) * value: [batch, heads, queries, value size].
  RealArray run(const NodeReader& node) const;
};

/// Rotates pairs of a head's elements by angles that grow with the position.
struct Rotation {
  RealArray cosines;  // [positions, pairs]
  RealArray sines;
  bool interleaved = false;  // pairs are neighbours, not halves of the head apart

  std::int64_t pairs() const { return cosines.rank() == 2 ? cosines.dim(1) : 0; }
  /// Turns the first 2 * pairs() elements of a head in place.
  void turn(const NodeReader& node, std::span<double> head, std::int64_t position) const;
};

/// Tables of a rotation, checked to be matrices of one shape.
Rotation make_rotation(const NodeReader& node, const Tensor& cosines, const Tensor& sines, std::int64_t interleaved);

}  // namespace hone
