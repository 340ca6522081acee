#pragma once

#include <cstdint>
#include <vector>

#include "plan/problem/plan.h"

namespace hone {

/// What devices hold when operations run one after another in the order in which they are placed: weights and inputs
/// that are read there, and results and copies until their last reader is placed. An estimate of what the simulator
/// finds. An alias takes nothing.
class HeldMemory {
 public:
  HeldMemory(const Workload& workload, std::size_t devices);

  void clear();
  double held(DeviceId device) const { return held_[device.index()]; }
  /// What placing an operation on a device adds there before anything is given back.
  double added(OperationId operation, DeviceId device) const;
  /// No less than that, on any device.
  double most_added(OperationId operation) const { return most_added_[operation.index()]; }
  void place(OperationId operation, DeviceId device);
  /// The same when readers are placed before what they read: what an operation makes is not held before it.
  void place_backward(OperationId operation, DeviceId device);

 private:
  double bytes_of(BufferId buffer) const;
  bool lies_on(BufferId buffer, DeviceId device) const { return (on_[buffer.index()] >> device.index() & 1) != 0; }
  void put(BufferId buffer, DeviceId device);
  void read(BufferId buffer);
  void give_back(BufferId buffer);

  const Workload& workload_;
  std::vector<double> most_added_;     // by operation
  std::vector<double> held_;           // by device
  std::vector<std::uint64_t> on_;      // by buffer: a bit for every device it lies on
  std::vector<std::uint32_t> unread_;  // by buffer: readers to come
};

}  // namespace hone
