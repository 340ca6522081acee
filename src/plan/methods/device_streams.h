#pragma once

#include <cstdint>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/methods/free_time.h"

namespace hone {

/// When the streams of all devices are free.
class DeviceStreams {
 public:
  /// Whether something may go into gaps between what was put there before it.
  enum class Gaps { left, filled };
  /// A stream and when it begins something.
  struct Place {
    std::uint32_t stream = 0;
    double start = 0;
    double idle = 0;  // seconds that the stream does nothing just before
  };

  DeviceStreams(const Durations& durations, Gaps gaps);

  void clear();
  /// Where something that takes so long starts first, no earlier than `ready`; of equal starts the one that leaves the
  /// least idle before it: what comes later needs the longer gap.
  Place earliest(DeviceId device, double ready, double seconds) const;
  void occupy(const Place& place, double seconds) { streams_[place.stream].occupy(place.start, seconds); }

 private:
  Gaps gaps_;
  std::vector<std::uint32_t> begin_;  // by device; one more than there are
  std::vector<FreeTime> streams_;
};

/// When the links of the machine are free: at all times.
std::vector<FreeTime> free_links(const Durations& durations);

}  // namespace hone
