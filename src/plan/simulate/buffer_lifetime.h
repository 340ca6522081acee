#pragma once

#include <cstdint>

#include "plan/problem/plan.h"

namespace hone {

/// A copy of a buffer on a device and how long its memory is taken, counted in what happens there: [lower, upper).
struct BufferLifetime {
  BufferId buffer;
  DeviceId device;
  BufferId holder;         // the buffer in whose memory it lies, itself usually; none: that of a weight or input
  std::int64_t bytes = 0;  // of the holder, as are the times
  std::int64_t lower = 0, upper = 0;
};

}  // namespace hone
