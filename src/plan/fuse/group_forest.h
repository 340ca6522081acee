#pragma once

#include <cstdint>
#include <vector>

#include "plan/fuse/kernel.h"

namespace hone {

/// Groups that grow by merging neighbours, none of which ever wait for one another.
///
/// Groups are kept in an order in which whoever is read comes first. Merging two groups closes a circle when a third
/// lies on a way between them; ways lead up in the order, so that only what stands between the two is looked through,
/// and the few that lie after the first or before the second change places (Pearce and Kelly's dynamic topological
/// order). Reused without allocating.
class GroupForest {
 public:
  explicit GroupForest(const FusionGraph& graph);

  /// Every operation by itself again.
  void reset();
  /// Puts an operation and one that reads it into one group, if that may be.
  Refusal merge(std::uint32_t producer, std::uint32_t reader);

  /// The operation that stands for the group of another.
  std::uint32_t find(std::uint32_t operation) {
    while (parent_[operation] != operation) operation = parent_[operation] = parent_[parent_[operation]];
    return operation;
  }
  /// Of the group that an operation stands for.
  const KernelShape& kernel(std::uint32_t group) const { return kernels_[group]; }
  /// Calls `visit` with every operation of a group.
  template <class Visit>
  void for_each_member(std::uint32_t group, Visit visit) const {
    for (std::uint32_t member = group; member != kNobody; member = next_member_[member]) visit(member);
  }
  bool is_alone(std::uint32_t operation) const {
    return parent_[operation] == operation && kernels_[operation].operations == 1;
  }

 private:
  /// Beyond so many reads the look for a circle is given up: neighbours are near one another, or not worth the time.
  static constexpr std::size_t kMostReads = 2048;

  static constexpr std::uint32_t kNobody = UINT32_MAX;

  enum class Direction { forward, backward };

  struct Crossing {
    Seat seat;
    Refusal refusal = Refusal::none;
  };
  Crossing crossing(std::uint32_t producer, std::uint32_t reader);
  Refusal search(std::uint32_t from, std::uint32_t to, Direction direction);
  std::uint32_t reorder(std::uint32_t producer, std::uint32_t reader);
  void join(std::uint32_t producer, std::uint32_t reader, const KernelShape& kernel, std::uint32_t rank);

  const FusionGraph& graph_;
  std::vector<std::uint32_t> parent_, next_member_, last_member_;
  std::vector<KernelShape> kernels_;  // by operation that stands for a group
  std::vector<std::uint32_t> rank_;   // likewise: where the group stands
  std::vector<std::uint32_t> seen_;   // likewise: the number of the last search that met it
  std::uint32_t searches_ = 0;
  std::vector<std::uint32_t> found_, after_, before_, ranks_;
};

}  // namespace hone
