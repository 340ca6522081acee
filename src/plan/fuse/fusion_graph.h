#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/flat_lists.h"
#include "plan/problem/problem.h"

namespace hone {

/// Why operations do not share a kernel.
enum class Refusal : std::uint8_t {
  none,
  no_loop,
  result,
  unread,
  columns_inside,
  misaligned,
  other_loop,
  two_contractions,
  contraction_and_reduction,
  contraction_twice,
  scratch,
  too_many_operations,
  too_many_reads,
  too_many_kernels,
  device,
  cycle,
  too_far,
};

/// The reason as the end of a sentence that begins with what is refused.
std::string_view text_of(Refusal refusal);

/// What no kernel may exceed, whatever it contains.
struct FusionLimits {
  std::uint32_t operations = 96;  // in one kernel; beyond, code grows faster than traffic shrinks
  std::uint32_t reads = 96;       // from outside, each read of each operation counted: kernels have so many parameters
  std::uint32_t kernels = 32;     // that one operation is computed in
  double scratch_bytes = 0;       // for a row that is gone through twice
};

/// A workload as those who fuse see it: operations by number with their loops, and who reads whom in which way.
struct FusionGraph {
  explicit FusionGraph(const Problem& problem);

  struct Node {
    Loop::Kind kind = Loop::Kind::none;
    Refusal inlined = Refusal::none;  // why it must not be computed by its readers, whoever they are
    std::uint32_t inputs = 0;         // that it reads, weights included
    std::uint32_t colocate = 0;
    double points = 0, rows = 0, results = 0;
    double element_bytes = 0;
  };
  /// That one operation reads an output of another.
  struct Read {
    std::uint32_t operation = 0;  // at the other end
    Access access = Access::other;
  };

  std::size_t size() const { return nodes.size(); }

  std::vector<Node> nodes;              // by operation
  FlatLists<Read> readers, producers;   // by operation
  std::vector<std::uint32_t> order;     // topological
  std::vector<std::uint32_t> position;  // by operation: in `order`
  FusionLimits limits;
};

}  // namespace hone
