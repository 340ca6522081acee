#include "plan/fuse/kernel.h"

#include <algorithm>

namespace hone {
namespace {

JoinedKernel refused(Refusal refusal) { return {.refusal = refusal}; }

/// What holds of every kernel, however it came about.
JoinedKernel within(const KernelShape& kernel, const FusionLimits& limits) {
  if (kernel.operations > limits.operations) return refused(Refusal::too_many_operations);
  if (kernel.reads > limits.reads) return refused(Refusal::too_many_reads);
  if (kernel.has_rows && kernel.spreads && kernel.points / kernel.rows * kernel.element_bytes > limits.scratch_bytes)
    return refused(Refusal::scratch);
  return {.kernel = kernel};
}

/// Whether all points of a row get a result that takes the whole row, as in softmax.
bool goes_back_over_rows(const FusionGraph::Node& node) {
  return node.kind == Loop::Kind::rows && node.results == node.points && node.rows < node.points;
}

/// A reduction over rows becomes part of a kernel that is aligned to it.
Refusal join_rows(KernelShape& kernel, const FusionGraph::Node& node) {
  if (kernel.has_contraction) return Refusal::contraction_and_reduction;
  if (kernel.has_columns) return Refusal::other_loop;
  const bool same_loop = node.points == kernel.points && (kernel.rows == 0 || kernel.rows == node.rows);
  const bool feeds_rows =
      node.rows == kernel.points && kernel.rows == 0 && node.results == node.rows && node.points >= kernel.points;
  if (!same_loop && !feeds_rows) return Refusal::other_loop;
  kernel.points = node.points;
  kernel.rows = node.rows;
  kernel.has_rows = true;
  kernel.spreads |= goes_back_over_rows(node);
  return Refusal::none;
}

Refusal join_contraction(KernelShape& kernel, const FusionGraph::Node& node, const Seat& seat) {
  if (!seat.same) return Refusal::misaligned;
  if (kernel.has_contraction) return Refusal::two_contractions;
  if (kernel.has_rows || kernel.has_columns) return Refusal::contraction_and_reduction;
  if (node.points != kernel.points) return Refusal::other_loop;
  kernel.has_contraction = true;
  return Refusal::none;
}

/// Whether a kernel can be computed row by row in another.
bool can_be_rows(const KernelShape& kernel) {
  return kernel.rows == 0 && !kernel.has_contraction && !kernel.has_columns;
}

/// The loops of two aligned kernels as one, `reader`; false when they do not fit.
bool unite_loops(KernelShape& reader, const KernelShape& producer, const Seat& seat) {
  if (producer.points == reader.points) {
    if (producer.rows != 0 && reader.rows != 0 && producer.rows != reader.rows) return false;
    reader.rows = std::max(reader.rows, producer.rows);
    return true;
  }
  if (producer.points < reader.points) {
    const bool fits = producer.points == reader.rows || (reader.rows == 0 && seat.spreads);
    if (!fits || !can_be_rows(producer)) return false;
    reader.rows = producer.points;
    return true;
  }
  if (reader.points != producer.rows || !can_be_rows(reader)) return false;
  reader.rows = producer.rows;
  reader.points = producer.points;
  return true;
}

}  // namespace

KernelShape kernel_of(const FusionGraph::Node& node) {
  const bool has_rows = node.kind == Loop::Kind::rows;
  return {.points = node.kind == Loop::Kind::none ? 0 : node.points,
          .rows = has_rows ? node.rows : 0,
          .element_bytes = node.element_bytes,
          .reads = node.inputs,
          .colocate = node.colocate,
          .has_contraction = node.kind == Loop::Kind::contraction,
          .has_rows = has_rows,
          .has_columns = node.kind == Loop::Kind::columns,
          .spreads = goes_back_over_rows(node)};
}

JoinedKernel with_producer(const KernelShape& kernel, const FusionGraph::Node& node, const Seat& seat,
                           const FusionLimits& limits) {
  if (node.colocate != kernel.colocate) return refused(Refusal::device);
  KernelShape joined = kernel;
  ++joined.operations;
  joined.reads += node.inputs - seat.edges;
  joined.element_bytes = std::max(joined.element_bytes, node.element_bytes);
  joined.spreads |= seat.aligned && seat.spreads;
  if (node.kind != Loop::Kind::map && !seat.aligned) return refused(Refusal::misaligned);
  Refusal refusal = Refusal::none;
  if (node.kind == Loop::Kind::rows) refusal = join_rows(joined, node);
  else if (node.kind == Loop::Kind::contraction) refusal = join_contraction(joined, node, seat);
  return refusal == Refusal::none ? within(joined, limits) : refused(refusal);
}

JoinedKernel merged(const KernelShape& producer, const KernelShape& reader, const Seat& seat,
                    const FusionLimits& limits) {
  if (!seat.aligned) return refused(Refusal::misaligned);
  if (producer.colocate != reader.colocate) return refused(Refusal::device);
  if (producer.has_contraction && reader.has_contraction) return refused(Refusal::two_contractions);
  KernelShape joined = reader;
  const bool fit = unite_loops(joined, producer, seat);
  joined.has_contraction |= producer.has_contraction;
  joined.has_columns |= producer.has_columns;
  joined.has_rows |= producer.has_rows;
  if (joined.has_contraction && (joined.has_columns || joined.has_rows))
    return refused(Refusal::contraction_and_reduction);
  if ((joined.has_columns && joined.has_rows) || !fit) return refused(Refusal::other_loop);
  joined.operations += producer.operations;
  joined.reads += producer.reads - seat.edges;
  joined.element_bytes = std::max(joined.element_bytes, producer.element_bytes);
  joined.spreads |= producer.spreads || seat.spreads;
  return within(joined, limits);
}

}  // namespace hone
