#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/scratch_vector.h"
#include "plan/problem/plan.h"
#include "plan/simulate/fused_tables.h"
#include "plan/simulate/simulator_tables.h"

namespace hone {

/// A plan spread out over the simulator's tables: where every operation runs, which copies of every buffer there will
/// be, and what each copy waits for before its memory is given back. Where the plan has groups, those are the
/// operations meant here. Reused from plan to plan; allocates nothing once it has laid out plans as large.
class PlanLayout {
 public:
  /// `operations` are the tables of operations and must outlive this.
  explicit PlanLayout(const SimulatorTables& operations);

  static constexpr std::uint32_t kNone = SimulatorTables::kNone;

  /// Where an operation runs and what it waits for.
  struct OperationState {
    std::uint32_t waiting = 0;  // reads of what has not arrived
    std::uint32_t urgency = 0;  // less is sooner
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

  /// False when something lies on no device, or on one that cannot run it.
  bool lay_out(const Plan& plan);

  /// What the plan laid out last is spread over: the tables of operations or those of its groups.
  const SimulatorTables& tables() const { return *tables_; }

  ScratchVector<OperationState> operations;   // by position
  ScratchVector<double> seconds;              // by position
  ScratchVector<std::uint32_t> next_in_line;  // by position: which one its device runs after it; kNone: any

  /// Who reads a buffer.
  struct Audience {
    std::uint64_t destinations = 0;  // the devices that receive a copy
    std::uint32_t local = 0;         // reads on the producer's device
    std::uint32_t local_reader = 0;  // position, when there is but one
  };
  ScratchVector<Audience> audiences;          // by rank
  ScratchVector<std::uint32_t> slot_of_edge;  // by edge: the copy that is read
  ScratchVector<Slot> slots;                  // one more than there are: the last stands for all residents
  ScratchVector<Route> routes;                // by slot, of received copies

  ScratchVector<std::uint32_t> operations_on;   // by device
  ScratchVector<std::uint32_t> transfers_over;  // by link
  ScratchVector<double> resident_bytes;         // by device

 private:
  void make_room();
  bool place_operations(const Plan& plan);
  void place_residents();
  void place_copies(const Plan& plan);
  std::uint32_t place_received(std::uint32_t rank, std::uint64_t destinations, const Plan& plan);
  void resolve_aliases();
  void line_up();
  std::uint32_t slot_of(std::uint32_t rank, std::uint32_t device) const;

  const SimulatorTables& operation_tables_;
  std::optional<FusedTables> fused_tables_;  // as soon as a plan has groups
  const SimulatorTables* tables_;
  std::array<std::uint32_t, kMaxDevices> slot_on_{};  // by device, for the buffer at hand
  // For the line that groups stand in:
  std::array<std::uint32_t, kMaxDevices> last_on_{};  // by device
  ScratchVector<std::uint32_t> missing_;              // by position: reads of what nobody in line makes
  ScratchVector<std::uint64_t> ready_;                // what could be next, as a heap
};

}  // namespace hone
