#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/simulate/least_cut.h"

namespace hone {

/// What an exact search for an order is told.
struct ExactOrderLimits {
  std::int64_t floor = 0;    // no order takes less, or less is of no use
  std::int64_t ceiling = 0;  // only less than this is wanted
  std::size_t states = 0;    // sets of operations to look at, at most
};

/// What it comes to.
struct ExactOrder {
  std::vector<OperationId> operations;  // of the segment, in their order; none when nothing below the ceiling was found
  std::int64_t bound_bytes =
      0;                   // no order of the segment takes less; the ceiling, or what `operations` take, when proved
  std::size_t states = 0;  // looked at
};

/// The order of least peak memory of the operations of a segment, with all others where `order` has them.
///
/// What can be done after some operations have run depends on which, not on their order: so this is the path of least
/// peak through sets of operations, found as Dijkstra finds shortest ones. Few sets are needed:
///
/// - Until the next bytes are given back held bytes only rise. An operation that is not needed for that may as well run
/// just
///   after it: nothing before is held longer, and it finds no more held than the operation it makes way for did. So a
///   step is a least set of operations after which something is given back, and its peak is all that it makes.
/// - A step within the peak so far that ends with no more held than it began is taken without alternatives: held bytes
///   are a submodular function of sets, so that every other order becomes no worse by taking it first.
ExactOrder exact_order(const OrderMemory& memory, std::span<const OperationId> order, OrderSegment segment,
                       const ExactOrderLimits& limits);

}  // namespace hone
