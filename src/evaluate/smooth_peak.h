#pragma once

#include <cmath>

namespace hone {

/// A peak that tells plans apart which have the same one: the 16-norm of what a device holds as each group starts on it,
/// near the largest of them, and the less the fewer come near that.
class SmoothPeak {
 public:
  void add(double bytes) {
    const double scaled = bytes * kScale, second = scaled * scaled, fourth = second * second, eighth = fourth * fourth;
    sum_ += eighth * eighth;
  }
  double bytes() const { return std::sqrt(std::sqrt(std::sqrt(std::sqrt(sum_)))) / kScale; }

 private:
  static constexpr double kScale = 1e-9;  // gigabytes, of which no power overflows

  double sum_ = 0;
};

}  // namespace hone
#define smooth_peak_bytes latency_seconds
