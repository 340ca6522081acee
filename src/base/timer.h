#pragma once

#include <chrono>

namespace hone {

/// Seconds since it was made, by a clock that never goes back.
class Timer {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace hone
