#pragma once

#include <optional>
#include <vector>

#include "base/flat_lists.h"
#include "base/random.h"
#include "plan/methods/held_levels.h"
#include "plan/methods/played_runs.h"

namespace hone {

/// Changes of a plan around what its devices hold when they hold most. Most changes of places promise to lower the
/// smooth peak, as far as can be seen without carrying the plan out.
class MemoryMoves {
 public:
  enum class Kind : std::uint8_t {
    evict,    // one thing leaves the device: who makes it there and who reads it there go elsewhere
    single,   // only one of these does
    region,   // operations that hang together are placed anew, one after another
    blind,    // operations that hang together go to any one device, whatever that promises
    reorder,  // one of these runs later, or another sooner
  };
  static constexpr std::size_t kKinds = 5;

  /// What is passed by reference must outlive it; `levels` is what it works in.
  MemoryMoves(const Durations& durations, const MemoryItems& items, HeldLevels& levels);

  /// From now on this plan is changed, which has priorities in [0, 1] and was carried out in this way. `runs` must
  /// outlive that.
  void settle(const Plan& plan, const PlayedRuns& runs);
  /// The plan with changes of one kind that move about so many operations, or fewer when no more are found.
  Plan changed(Kind kind, std::size_t moved, Rng& rng);

 private:
  struct Placed {
    OperationId operation;
    DeviceId device;
    Stay stay;
  };
  /// What a device holds at a moment.
  struct Held {
    std::optional<std::uint32_t> time;
    std::vector<std::uint32_t> items;
    std::vector<double> bytes;  // added up
  };

  std::span<const DeviceId> devices_for(OperationId operation) const;
  HeldLevels::Moment pick_moment(Rng& rng) const;
  std::optional<std::uint32_t> pick_item(const HeldLevels::Moment& moment, Rng& rng);
  std::vector<OperationId> users_at(std::uint32_t item, DeviceId device) const;
  std::vector<OperationId> region_around(OperationId first, Rng& rng) const;
  std::vector<OperationId> with_bound(const std::vector<OperationId>& operations) const;
  std::vector<OperationId> pick_operations(Kind kind, const HeldLevels::Moment& moment, Rng& rng);
  void place_anew(Kind kind, Rng& rng);
  DeviceId best_device(OperationId operation, DeviceId except) const;
  void put_together(const std::vector<OperationId>& operations, DeviceId target);
  void put_one_by_one(const std::vector<OperationId>& operations, DeviceId except);
  void undo(std::size_t first);
  void reorder(Plan& plan, Rng& rng);
  OperationId some_way_from(OperationId operation, double direction, Rng& rng) const;

  const Durations& durations_;
  const MemoryItems& items_;
  HeldLevels& levels_;
  FlatLists<OperationId> bound_;  // by choice: operations that must share a device
  Plan plan_;
  const PlayedRuns* runs_ = nullptr;
  std::vector<Held> held_;      // by device
  std::vector<Placed> before_;  // what has been moved, as it was before
};

}  // namespace hone
