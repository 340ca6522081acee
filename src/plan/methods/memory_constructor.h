#pragma once

#include <span>
#include <vector>

#include "plan/methods/device_clock.h"
#include "plan/methods/held_levels.h"
#include "plan/simulate/order_memory.h"

namespace hone {

/// What a plan of little memory is made from: all that a rule, a search or a policy may have a say in.
struct MemoryGuidance {
  std::vector<float> keys;        // by operation: of all that is ready, the highest runs first
  std::vector<float> preference;  // by operation * devices + device: 1 outweighs whatever else speaks against a device;
                                  // nothing is preferred when empty
};

/// Makes plans operation by operation in the order of keys, each operation on the device where the smooth peak of all
/// devices grows least (see HeldLevels), given when it will run there (see DeviceClock): weights where they are read,
/// copies, and what has still to be read are all counted. The time it takes grows with the graph as sorting does, times
/// the number of devices.
class MemoryConstructor {
 public:
  /// What is passed by reference must outlive it; `levels` is what it works in.
  MemoryConstructor(const Durations& durations, HeldLevels& levels);

  /// `start` with the devices and priorities that follow from the guidance; it must be without groups.
  Plan construct(const MemoryGuidance& guidance, const Plan& start);

 private:
  /// A device, when the operation would start there, and what speaks against it.
  struct Offer {
    DeviceId device;
    double start = 0, growth = 0;
  };
  Offer offer_on(OperationId operation, DeviceId device);
  Offer best_offer(OperationId operation, std::span<const float> preference);

  const Durations& durations_;
  HeldLevels& levels_;
  OrderMemory memory_;
  DeviceClock clock_;
  std::vector<DeviceId> decided_;  // by choice
  std::vector<Offer> offers_;      // for the operation at hand
};

}  // namespace hone
