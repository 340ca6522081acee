#pragma once

#include <cstdint>
#include <vector>

#include "base/scratch_vector.h"
#include "plan/problem/group_time.h"
#include "plan/problem/plan.h"
#include "plan/simulate/simulator_tables.h"

namespace hone {

/// The simulator's tables for plans with groups: a smaller problem in which every group is one operation, which reads
/// what its instances read from outside, each buffer once, and makes what it stores.
///
/// Groups are numbered by their leaders, the first of the operations that live there in topological order. The tables
/// are made anew for every plan, without allocating once they have been as large.
class FusedTables {
 public:
  /// `operations` are the tables of the same problem without groups and must outlive this.
  explicit FusedTables(const SimulatorTables& operations);

  /// Until the next call; the sizes of the plan must be right (see `check`).
  const SimulatorTables& build(const Plan& plan);

 private:
  static constexpr std::uint32_t kNone = SimulatorTables::kNone;

  /// Whose memory an alias lives in, past what is not stored.
  struct Chain {
    std::uint32_t target = kNone;  // rank; none when it is a resident
    bool ends = false;             // in something that lies in memory
    bool skips = false;            // something that is not stored
    bool all_read = false;         // what they alias, by all producers on it
  };

  void number_groups(const Plan& plan);
  void gather_copies(const Plan& plan);
  void gather_instances();
  void find_reads();
  void add_buffers();
  void add_reads();
  void time_groups(const Plan& plan);
  void find_aliases();
  Chain chain_of(const SimulatorTables::AliasEntry& alias) const;
  bool holds_copy(std::uint32_t group, std::uint32_t position) const;
  void find_residents();
  template <class Visit>
  void for_each_copy(std::uint32_t position, const Visit& visit) const;

  const SimulatorTables& operations_;
  SimulatorTables groups_;
  GroupTimer timer_;

  // Groups are meant by their number here. Positions and ranks are those of the operations.
  ScratchVector<std::uint32_t> number_of_;       // by group of the plan
  ScratchVector<std::uint32_t> home_;            // by position: the group it lives in
  ScratchVector<std::uint32_t> copy_begin_;      // by operation id, one more than there are
  ScratchVector<std::uint32_t> copies_;          // groups, by operation id
  ScratchVector<std::uint32_t> instance_begin_;  // by group, one more than there are
  ScratchVector<std::uint32_t> instances_;       // positions, by group, ascending
  ScratchVector<OperationId> instance_ids_;      // the same
  ScratchVector<std::uint32_t> last_group_;      // by position: that has an instance, of those seen so far
  ScratchVector<std::uint32_t> last_reader_;     // by rank: the group that reads it, of those seen so far
  std::vector<std::uint8_t> always_stored_;      // by rank: results and what nobody reads
  ScratchVector<std::uint8_t> stored_;           // by rank
  ScratchVector<std::uint32_t> outputs_;         // ranks, of the group at hand
  ScratchVector<std::uint32_t> stored_rank_;     // by rank: that among what is stored
  ScratchVector<BufferId> stored_ids_;           // by rank among what is stored
  ScratchVector<Chain> chains_;                  // by rank, of aliases
  FlatLists<std::uint32_t> reads_;               // ranks, by group
};

}  // namespace hone
