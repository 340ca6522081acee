#include "run/measure/stopwatch.h"

#include <sys/resource.h>

namespace hone {
namespace {

/// How often threads of this process had to give up the processor against their will.
long forced_switches() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

timespec now(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time;
}

double between(const timespec& from, const timespec& to) {
  return static_cast<double>(to.tv_sec - from.tv_sec) + 1e-9 * static_cast<double>(to.tv_nsec - from.tv_nsec);
}

}  // namespace

// The wall clock is read last before and first after the work, as it costs least.
Stopwatch::Stopwatch() : switches_(forced_switches()) {
  cpu_ = now(CLOCK_THREAD_CPUTIME_ID);
  wall_ = now(CLOCK_MONOTONIC);
}

Sample Stopwatch::stop() const {
  const timespec wall = now(CLOCK_MONOTONIC);
  const timespec cpu = now(CLOCK_THREAD_CPUTIME_ID);
  return {between(wall_, wall), between(cpu_, cpu), forced_switches() != switches_};
}

}  // namespace hone
