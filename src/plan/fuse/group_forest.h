#pragma once

#include <cstdint>
#include <vector>

#include "plan/fuse/group_order.h"
#include "plan/fuse/kernel.h"

namespace hone {

/// Groups that grow by merging neighbours, none of which ever wait for one another.
///
/// Groups are kept in an order in which whoever is read comes first. Merging two groups closes a circle when a third
/// lies on a way between them; ways lead up in the order, so that only what stands between the two is looked through,
/// from both ends in turn. The side that is through first shows that there is no way, and what was found there moves
/// behind the reader or before the producer: a dynamic topological order. Reused without allocating.
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

  /// What was found going forward from the producer, or back from the reader.
  struct Side {
    std::vector<std::uint32_t> found;  // groups, the first is where it starts
    std::size_t next = 0;              // to be looked at
    std::size_t reads = 0;             // looked at
    std::uint32_t search = 0;          // its number
    bool forward = false;
    bool is_through() const { return next == found.size(); }
  };
  struct Crossing {
    Seat seat;
    Refusal refusal = Refusal::none;
  };
  Refusal refusal_by_size(std::uint32_t producer, std::uint32_t reader) const;
  Crossing crossing(std::uint32_t producer, std::uint32_t reader);
  Refusal refusal_by_ways(std::uint32_t producer, std::uint32_t reader);
  Refusal look_further(Side& side, const Side& other);
  void join(std::uint32_t producer, std::uint32_t reader, const KernelShape& kernel);

  const FusionGraph& graph_;
  std::vector<std::uint32_t> parent_, next_member_, last_member_;
  std::vector<KernelShape> kernels_;  // by operation that stands for a group
  GroupOrder order_;                  // likewise
  std::vector<std::uint32_t> seen_;   // likewise: the number of the last search that met it
  std::uint32_t searches_ = 0;
  Side after_{.forward = true}, before_;
};

}  // namespace hone
