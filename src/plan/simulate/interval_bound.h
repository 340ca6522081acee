#pragma once

#include <span>

namespace hone {

/// One operation as far as the interval bound goes.
struct BoundedOperation {
  double seconds = 0;  // it takes at least
  double before = 0;   // it cannot start earlier
  double after = 0;    // so much time must pass after it has ended
};

/// Whether every time in a schedule is a whole number of seconds.
enum class Times { any, whole };

/// A lower bound on the makespan of operations on so many streams, no less than `bound`, which must be one: within any
/// interval, the operations that cannot run outside it have to find room.
///
/// Fernandez and Bussell, "Bounds on the number of processors and time for multiprocessor optimal schedules", 1973. Of
/// large sets only some intervals are looked at.
double interval_bound(std::span<const BoundedOperation> operations, double streams, double bound, Times times);

}  // namespace hone
