#include "plan/simulate/device_loads.h"

#include <algorithm>

namespace hone {

DeviceLoads::DeviceLoads(const SimulatorTables& tables)
    : seconds_(tables.machine.device_count()), bytes_(tables.machine.device_count()) {}

void DeviceLoads::measure(const PlanLayout& layout) {
  const SimulatorTables& tables = layout.tables();
  const TransferTimes transfers(tables);
  std::ranges::fill(seconds_, 0);
  std::ranges::copy(layout.resident_bytes, bytes_.begin());
  for (std::uint32_t position = 0; position < layout.operations.size(); ++position)
    seconds_[layout.operations[position].device] += layout.seconds[position];
  for (std::uint32_t rank = 0; rank < layout.audiences.size(); ++rank) {
    const std::uint32_t home = layout.operations[tables.buffers[rank].producer].device;
    std::uint32_t slot = tables.buffers[rank].slot_begin;
    if (layout.slots[slot].holder == slot) bytes_[home] += layout.slots[slot].bytes;
    const std::uint64_t destinations = layout.audiences[rank].destinations;
    if (destinations == 0) continue;
    seconds_[home] += transfers.sending(rank, home, destinations);
    for (std::uint64_t left = destinations; left != 0; left &= left - 1) {
      const auto to = static_cast<std::uint32_t>(std::countr_zero(left));
      seconds_[to] += transfers.receiving(rank, home, to);
      bytes_[to] += layout.slots[++slot].bytes;
    }
  }
}

}  // namespace hone
