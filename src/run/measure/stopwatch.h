#pragma once

#include <cstddef>
#include <ctime>

namespace hone {

/// One timing of something.
struct Sample {
  double wall_seconds = 0;
  double cpu_seconds = 0;  // that the calling thread itself ran
  bool disturbed = false;  // another program took the processor meanwhile

  /// Of a single run when the sample holds several, or at another speed of the machine.
  Sample divided_by(double factor) const { return {wall_seconds / factor, cpu_seconds / factor, disturbed}; }
};

/// Which of a sample's clocks counts.
enum class Clock {
  wall,
  cpu,  // right for work of one thread on a busy machine: waiting for the processor does not count
};
inline double seconds_of(const Sample& sample, Clock clock) {
  return clock == Clock::wall ? sample.wall_seconds : sample.cpu_seconds;
}

/// Measures from its making until `stop`.
class Stopwatch {
 public:
  Stopwatch();
  Sample stop() const;

 private:
  timespec wall_, cpu_;
  long switches_ = 0;
};

}  // namespace hone
