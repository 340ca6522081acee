#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/simulate/order_memory.h"

namespace hone {

/// Positions [first, last) of an order.
struct OrderSegment {
  std::size_t first = 0, last = 0;
};

/// The least memory with which one operation can run, and what comes before it then.
struct LeastCut {
  std::int64_t bytes = 0;
  std::vector<char> fewest,
      most;  // by position from the first of the segment: comes before; of all least cuts the two ends
};

/// The least bytes held while the operation at position `at` runs, over all orders that differ from `order` within the
/// segment only.
///
/// What has run before is a set of operations that contains all they read from. A holding costs its bytes when its
/// maker is in the set and some user is not. The cheapest set is the cheapest cut of a network (operations that choose;
/// for every holding a node that must be cut off from its maker unless all its users are in the set). Over the whole
/// order this is a bound: no order at all takes less.
LeastCut least_cut(const OrderMemory& memory, std::span<const OperationId> order, OrderSegment segment, std::size_t at);

/// Moves operations of a segment to before and after the one at `at`, without changing their order otherwise; returns
/// where that one is then.
std::size_t divide(std::vector<OperationId>& order, OrderSegment segment, std::size_t at,
                   const std::vector<char>& before);

/// A bound for the peak of every order: the largest of so many least cuts, each of the operation at which an order
/// takes most. The first order is the given one; each further one is the one before, with that operation where it takes
/// least. Stops early when no other operation could tell more.
std::int64_t least_peak_bytes(const OrderMemory& memory, std::span<const OperationId> order, std::size_t cuts);

}  // namespace hone
