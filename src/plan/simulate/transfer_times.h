#pragma once

#include <algorithm>
#include <bit>

#include "plan/simulate/simulator_tables.h"

namespace hone {

/// How long a device is busy with sending or receiving a buffer, when it does nothing else meanwhile. A buffer is sent
/// once to wherever it goes, through host memory; a host (DeviceKind::is_host) is never busy with either.
class TransferTimes {
 public:
  explicit TransferTimes(const SimulatorTables& tables) : tables_(&tables) {}

  /// `destinations` has a bit for every other device that receives a copy.
  double sending(std::uint32_t rank, std::uint32_t from, std::uint64_t destinations) const {
    if (is_host(from)) return 0;
    if (const double stated = tables_->buffers[rank].transfer_seconds; stated >= 0) return stated;
    double slowest = 0;
    for (std::uint64_t left = destinations; left != 0; left &= left - 1)
      slowest = std::max(slowest, crossing(rank, from, static_cast<std::uint32_t>(std::countr_zero(left))));
    return slowest;
  }

  /// What another call of the same device has made need not cross a link, but goes through host memory all the same
  /// where the time for that is stated.
  double receiving(std::uint32_t rank, std::uint32_t from, std::uint32_t to) const {
    if (is_host(to)) return 0;
    if (const double stated = tables_->buffers[rank].transfer_seconds; stated >= 0) return stated;
    return from == to ? 0 : crossing(rank, from, to);
  }

  bool is_host(std::uint32_t device) const { return tables_->machine.kind(DeviceId(device)).is_host; }

 private:
  double crossing(std::uint32_t rank, std::uint32_t from, std::uint32_t to) const {
    return tables_->machine.link(tables_->machine.route(DeviceId(from), DeviceId(to)))
        .seconds(tables_->buffers[rank].bytes);
  }

  const SimulatorTables* tables_;
};

}  // namespace hone
