#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace hone {

/// How long kernels took on one kind of device, each by a number that stands for what it computes (see kernel_key.h).
class KernelTimes {
 public:
  /// One more timing of a kernel.
  void add(std::uint64_t kernel, double seconds) {
    Timed& timed = times_[kernel];
    timed.sum_seconds += seconds;
    ++timed.count;
  }
  /// The mean of its timings; nothing for a kernel that was never timed.
  std::optional<double> seconds(std::uint64_t kernel) const {
    const auto found = times_.find(kernel);
    if (found == times_.end()) return std::nullopt;
    return found->second.sum_seconds / static_cast<double>(found->second.count);
  }
  /// How many different kernels were timed.
  std::size_t size() const { return times_.size(); }

 private:
  struct Timed {
    double sum_seconds = 0;
    std::size_t count = 0;
  };
  std::unordered_map<std::uint64_t, Timed> times_;  // by kernel
};

}  // namespace hone
