#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/scratch_vector.h"
#include "plan/problem/plan.h"
#include "plan/simulate/simulator_tables.h"

namespace hone {

/// A plan spread out over the simulator's tables: where every operation runs, which copies of every buffer there will
/// be, and what each copy waits for before its memory is given back. Reused from plan to plan without allocating.
class PlanLayout {
 public:
  explicit PlanLayout(const SimulatorTables& tables);

  static constexpr std::uint32_t kNone = SimulatorTables::kNone;

  /// Where an operation runs and what it waits for. Groups stand at the position of their first operation, the leader;
  /// of the other members only `leader` and `device` mean anything.
  struct OperationState {
    std::uint32_t waiting = 0;  // reads from other groups that have not arrived
    std::uint32_t urgency = 0;  // less is sooner
    std::uint32_t leader = 0;
    std::uint32_t device = 0;
  };
  /// One copy of a buffer on a device. An alias holds nothing itself: `holder` is the slot whose memory it lives in.
  struct Slot {
    double bytes = 0;
    std::uint32_t holder = 0;
    std::uint32_t pending = 0;  // ends to wait for
  };
  /// How a received copy comes to its slot.
  struct Route {
    std::uint32_t rank = 0;
    std::uint32_t urgency = 0;     // less is sooner
    std::uint32_t reader = kNone;  // position, when there is but one where it goes
    std::uint16_t link = 0;
    std::uint8_t from = 0, to = 0;
  };

  /// False when a group lies on no device, or on one that cannot run it.
  bool lay_out(const Plan& plan);

  bool grouped() const { return grouped_; }
  std::size_t group_count() const { return group_count_; }

  ScratchVector<OperationState> operations;  // by position
  ScratchVector<std::uint32_t> next_member;  // by position, only when grouped; kNone ends the group
  ScratchVector<double> seconds;             // by leader

  /// Who reads a buffer.
  struct Audience {
    std::uint64_t destinations = 0;  // the devices that receive a copy
    std::uint32_t local = 0;         // reads on the producer's device by other groups
    std::uint32_t local_reader = 0;  // position, when there is but one
  };
  ScratchVector<Audience> audiences;          // by rank
  ScratchVector<std::uint32_t> slot_of_edge;  // by edge: the copy that is read; kNone inside a group
  ScratchVector<Slot> slots;                  // one more than there are: the last stands for all residents
  ScratchVector<Route> routes;                // by slot, of received copies

  ScratchVector<std::uint32_t> groups_on;       // by device
  ScratchVector<std::uint32_t> transfers_over;  // by link
  ScratchVector<double> resident_bytes;         // by device

 private:
  bool place_operations(const Plan& plan);
  bool place_groups(const Plan& plan);
  void gather_groups(const Plan& plan);
  double group_seconds(std::uint32_t first, std::size_t kind);
  double saved_bytes(std::uint32_t position, std::uint32_t first);
  void place_residents();
  template <bool kGrouped>
  void place_copies(const Plan& plan);
  std::uint32_t place_received(std::uint32_t rank, std::uint64_t destinations, const Plan& plan);
  template <bool kGrouped>
  void resolve_aliases();
  std::uint32_t slot_of(std::uint32_t rank, std::uint32_t device) const;
  bool is_internal(std::uint32_t rank) const;

  const SimulatorTables& tables_;
  std::array<std::uint32_t, kMaxDevices> slot_on_{};  // by device, for the buffer at hand
  bool grouped_ = false;
  std::size_t group_count_ = 0;
  ScratchVector<std::uint32_t> leader_of_group_, last_member_;  // by group of the plan
  ScratchVector<std::uint32_t> position_of_;                    // by operation
  ScratchVector<std::uint32_t> read_by_;                        // by buffer id: the group that read it last
};

}  // namespace hone
