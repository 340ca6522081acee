#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/plan.h"
#include "evaluate/simulator_tables.h"

namespace hone {

/// A plan spread out over the simulator's tables: where every work runs, which copies of every buffer there will be,
/// and what each copy waits for before its memory is given back. Reused from plan to plan without allocating.
class PlanLayout {
 public:
  explicit PlanLayout(const SimulatorTables& tables);

  /// One copy of a buffer on a device. An alias holds nothing itself: `holder` is the slot whose memory it lives in.
  struct Slot {
    double bytes = 0;
    std::uint32_t holder = 0;
    std::uint32_t pending = 0;  // ends to wait for
  };

  /// False when a group lies on no device, or on one that cannot run it.
  bool lay_out(const Plan& plan);

  bool grouped() const { return grouped_; }
  std::size_t group_count() const { return group_count_; }

  /// The slot of the copy on device `holder`, which must be one that has a copy.
  std::uint32_t slot_of(std::uint32_t rank, std::uint32_t holder) const {
    return tables_.slot_begin[rank] + count_below(devices_with[rank], holder);
  }
  /// How many devices of a set have a lesser number.
  static std::uint32_t count_below(std::uint64_t set, std::uint32_t number) {
    const std::uint64_t below = set & ((std::uint64_t{1} << number) - 1);
    return below < kBitCounts.size() ? kBitCounts[below] : static_cast<std::uint32_t>(std::popcount(below));
  }

  // By position. Groups stand at the position of their first work, the leader.
  std::vector<std::uint8_t> device;
  std::vector<std::uint32_t> leader;       // only when grouped
  std::vector<std::uint32_t> next_member;  // only when grouped; kNone ends the group
  std::vector<std::uint32_t> waiting;      // reads from other groups that have not arrived
  std::vector<std::uint32_t> urgency;      // by leader: less is sooner
  std::vector<double> seconds;             // by leader

  std::vector<std::uint64_t> devices_with;  // by rank: the devices that get a copy

  std::vector<Slot> slots;  // one more than there are: the last stands for all residents
  std::vector<std::uint8_t> device_of_slot;
  std::vector<std::uint32_t> transfer_urgency;  // by slot of a received copy

  std::vector<std::uint32_t> groups_on;       // by device
  std::vector<std::uint32_t> transfers_over;  // by link
  std::vector<double> resident_bytes;         // by device

 private:
  // Machines have few devices as a rule; counting bits by table is faster there than without a processor instruction.
  static constexpr std::array<std::uint8_t, 256> kBitCounts = [] {
    std::array<std::uint8_t, 256> counts{};
    for (std::size_t i = 1; i < counts.size(); ++i) counts[i] = static_cast<std::uint8_t>(counts[i / 2] + i % 2);
    return counts;
  }();

  bool place_works(const Plan& plan);
  bool place_groups(const Plan& plan);
  void gather_groups(const Plan& plan);
  double group_seconds(std::uint32_t first, std::size_t kind);
  double saved_bytes(std::uint32_t position, std::uint32_t first);
  void place_residents();
  template <bool kGrouped>
  void place_copies(const Plan& plan);
  template <bool kGrouped>
  void place_received(std::uint32_t rank, const Plan& plan);
  template <bool kGrouped>
  void resolve_aliases();
  bool is_internal(std::uint32_t rank) const;
  bool in_group(std::uint32_t position, std::uint32_t first) const { return leader[position] == first; }

  const SimulatorTables& tables_;
  bool grouped_ = false;
  bool transfers_alike_ = false;  // all of transfer_urgency is that of priority 0
  std::size_t group_count_ = 0;
  std::vector<std::uint32_t> leader_of_group_, last_member_;  // by group of the plan
  std::vector<std::uint32_t> position_of_;                    // by work
  std::vector<std::uint32_t> read_by_;                        // by buffer id: the group that read it last
};

}  // namespace hone
