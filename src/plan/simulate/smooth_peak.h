#pragma once

#include <cmath>
#include <map>

#include "plan/machine/machine.h"

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
  /// Adds levels of another device. Those of one device come in the same order wherever a plan is played, those of
  /// several do not, so each has its own sum until the end.
  void join(const SmoothPeak& other) { sum_ += other.sum_; }
  double bytes() const { return std::sqrt(std::sqrt(std::sqrt(std::sqrt(sum_)))) / kScale; }

 private:
  static constexpr double kScale = 1e-9;  // gigabytes, of which no power overflows

  double sum_ = 0;
};

/// Of all devices.
inline SmoothPeak joined(const std::map<DeviceId, SmoothPeak>& by_device) {
  SmoothPeak all;
  for (const auto& [device, peak] : by_device) all.join(peak);
  return all;
}

}  // namespace hone
