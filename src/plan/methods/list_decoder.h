#pragma once

#include <span>

#include "plan/methods/list_guidance.h"
#include "plan/methods/partial_schedule.h"
#include "plan/methods/reversed_schedule.h"

namespace hone {

/// Turns guidance into plans: places one operation after another where it finishes first, prices and biases added.
/// From the start an operation waits for the device that suits it best while less urgent ones fill the gap, if they
/// fit; from the end it is put as late as it can be. Takes about as long as n log n; keeps the memory it works in.
class ListDecoder {
 public:
  /// The durations must outlive it.
  explicit ListDecoder(const Durations& durations);

  /// One pass over all operations; `plan` with what it decides.
  Plan decode(const ListGuidance& guidance, const Plan& plan);
  /// Of the last pass, by operation: from the side it began at to where the operation ends on the other side.
  std::span<const double> finishes() const { return finishes_; }

 private:
  PartialSchedule forward_;
  ReversedSchedule backward_;
  std::span<const double> finishes_;
};

}  // namespace hone
