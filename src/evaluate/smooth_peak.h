#pragma once

#include <cmath>

namespace hone {

/// A peak that tells plans apart which have the same one: the 16-norm of what a device holds whenever a group or a
/// transfer takes memory on it, over all devices. It is near the largest of these levels, and nearer the fewer of them
/// are high.
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
