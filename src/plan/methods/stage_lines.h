#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/methods/memory_items.h"
#include "plan/simulate/order_memory.h"

namespace hone {

/// All operations in a line that can be cut into one stage for every device.
struct StageLine {
  std::vector<OperationId> order;      // in which operations run
  std::vector<std::uint32_t> choices;  // along the line (see DeviceChoices)
  std::vector<double> weight;          // by choice: of all stages each gets as much
};

/// How much it counts that all who make and use an item are near one another, for every byte of it.
struct ItemPull {
  double always = 0;
  double at_peak = 0;  // more where it is held when operations that run in order hold most
  double life = 0;     // more the longer it is held, with 1 for all the time
};

/// Plans of stages: operations are put in a line, and every device gets a stretch of it. Where the line follows what
/// hangs together, little lies on two devices; where it follows the order, a device has ended when the next begins.
class StageLines {
 public:
  /// What is passed by reference must outlive it.
  StageLines(const Durations& durations, const MemoryItems& items, const OrderMemory& memory)
      : durations_(durations), items_(items), memory_(memory) {}

  /// The line in which operations run.
  StageLine along(std::vector<OperationId> order) const;
  /// The line in which those are near one another that share items; they run in that order.
  StageLine by_items(std::vector<OperationId> order, const ItemPull& pull) const;

  /// `start`, which must be without groups, with the devices and the order of a line.
  Plan cut(const StageLine& line, const Plan& start) const;
  /// The line with other weights: less for each device that held more than others when it was cut into this plan.
  StageLine balanced(StageLine line, const Plan& plan, std::span<const double> peak_bytes) const;

 private:
  /// How long an item is held when operations run in an order.
  struct Life {
    std::uint32_t begin = 0, end = 0;
  };
  std::vector<Life> lives(std::span<const OperationId> order) const;
  std::vector<std::uint32_t> choices_of(std::uint32_t item) const;
  std::vector<double> weights_at(std::size_t peak, std::span<const Life> lives) const;

  const Durations& durations_;
  const MemoryItems& items_;
  const OrderMemory& memory_;
};

}  // namespace hone
