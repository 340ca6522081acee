#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/machine/machine.h"
#include "plan/methods/memory_items.h"

namespace hone {

/// From when to when an operation runs; time is counted in operations that have started before.
struct Stay {
  std::uint32_t start = 0, end = 0;
};

/// What devices hold at some moments while operations run at known times, as far as they are placed. Who makes
/// something is thought to hold it for all readers that are not placed yet, so that a placement is judged by what it
/// will come to. What is read elsewhere lies there, too, as soon as it is made.
///
/// Levels are judged by their smooth peak, the sum of their 16th powers in units of an even share. Every device has a
/// moment in every stretch of time.
class HeldLevels {
 public:
  HeldLevels(const MemoryItems& items, std::size_t operations, std::size_t devices);

  /// Nothing is placed; operations run at these times unless they are placed at others. Moments are those at which all
  /// devices together hold most.
  void clear(std::span<const Stay> stays);
  /// Everything is placed. Moments are those at which each device holds most.
  void settle(std::span<const Stay> stays, std::span<const DeviceId> device_of);

  /// By how much the smooth peak grows when an operation that is not placed is put there at that time.
  double growth(OperationId operation, DeviceId device, Stay stay);
  void place(OperationId operation, DeviceId device, Stay stay);
  void remove(OperationId operation);

  /// None while it is not placed.
  DeviceId device_of(OperationId operation) const { return device_of_[operation.index()]; }
  Stay stay(OperationId operation) const { return stays_[operation.index()]; }
  double smooth_peak() const;
  double peak_bytes() const;

  /// When a device holds most.
  struct Moment {
    DeviceId device;
    std::uint32_t time = 0;
    double level = 0;
  };
  Moment highest_on(DeviceId device) const;
  Moment highest() const;
  bool holds(std::uint32_t item, const Moment& moment) const;

 private:
  void take_times(std::span<const Stay> stays);
  void choose_moments(std::size_t device, std::vector<double> changes);
  std::size_t first_moment(std::size_t device, std::uint32_t time) const;
  std::uint32_t last_unplaced(std::uint32_t item) const;
  std::uint32_t begin_on(std::uint32_t item, std::size_t device) const;
  std::uint32_t end_on(std::uint32_t item, std::size_t device) const;
  std::uint32_t last_on(std::uint32_t item, DeviceId device) const;
  void add(std::uint32_t item, std::size_t device, double sign);
  void add_around(OperationId operation, DeviceId device, double sign);
  void propose(std::size_t device, Stay held, double bytes);
  void propose_reads(OperationId operation, std::size_t device, Stay stay);
  double relief_elsewhere(OperationId operation, DeviceId device);

  const MemoryItems& items_;
  std::uint32_t operations_;
  std::size_t devices_, stretch_, moments_;
  double unit_bytes_ = 1;
  std::vector<Stay> stays_;               // by operation
  std::vector<DeviceId> device_of_;       // by operation
  std::vector<std::uint32_t> unplaced_;   // by item: users
  std::vector<OperationId> latest_user_;  // by item: the one that ends last unless it is placed at another time
  std::vector<std::uint32_t> last_;       // by item and device: when the last user there ends; none: 0
  std::vector<std::uint32_t> times_;      // by device and moment
  std::vector<double> levels_, profile_;  // by device and moment; by time
  std::vector<double> proposed_;          // by moment: what `growth` adds
  std::size_t proposed_from_ = 0, proposed_to_ = 0;
};

}  // namespace hone
