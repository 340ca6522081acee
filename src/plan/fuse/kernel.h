#pragma once

#include "plan/fuse/fusion_graph.h"

namespace hone {

/// What a kernel is like, as far as it decides who may join it.
///
/// A kernel goes through `points` points, in `rows` rows where somebody needs rows. Its operations are *aligned*: point
/// i of one is point i, or row i, of the others; what is computed point by point may also be evaluated wherever it is
/// read. A reduction over rows or a contraction must be aligned, for it takes a whole row or product to have one
/// result.
struct KernelShape {
  double points = 0;  // 0: not computed point by point
  double rows = 0;    // 0: nobody needs rows
  double element_bytes = 0;
  std::uint32_t operations = 1;
  std::uint32_t reads = 0;  // from outside
  std::uint32_t colocate = 0;
  bool has_contraction = false, has_rows = false, has_columns = false;
  bool spreads = false;  // a value of a row is read by all points of the row
};

/// A kernel that might be, or why it must not.
struct JoinedKernel {
  KernelShape kernel;
  Refusal refusal = Refusal::none;
};

/// How an operation would sit in a kernel that reads it.
struct Seat {
  std::uint32_t edges = 0;  // reads of it inside
  bool aligned = true;      // all of them by operations that are aligned, at the same point or row
  bool same = true;         // all of them at the same point
  bool spreads = false;     // one of them at the row

  /// Takes note of a read inside; one by an operation that is not aligned itself is at some other place.
  void add(Access access) {
    ++edges;
    aligned &= access != Access::other;
    same &= access == Access::same;
    spreads |= access == Access::row;
  }
};

/// An operation by itself.
KernelShape kernel_of(const FusionGraph::Node& node);

/// The kernel with an operation that its members read.
JoinedKernel with_producer(const KernelShape& kernel, const FusionGraph::Node& node, const Seat& seat,
                           const FusionLimits& limits);

/// Two kernels as one, all of them aligned; `seat` says how the second reads the first.
JoinedKernel merged(const KernelShape& producer, const KernelShape& reader, const Seat& seat,
                    const FusionLimits& limits);

}  // namespace hone
