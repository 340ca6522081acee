#pragma once

#include <atomic>
#include <cstdint>

namespace hone {

/// A hash that is kept once it was computed, and goes along with copies. Several threads may compute it at once.
class KnownHash {
 public:
  KnownHash() = default;
  KnownHash(const KnownHash& other) : value_(other.value()) {}
  KnownHash& operator=(const KnownHash& other) {
    value_.store(other.value(), std::memory_order_relaxed);
    return *this;
  }

  /// What `compute` says, or said before.
  template <class Compute>
  std::uint64_t get(const Compute& compute) {
    if (const std::uint64_t known = value(); known != kNone) return known;
    const std::uint64_t hash = compute();
    value_.store(hash, std::memory_order_relaxed);
    return hash;
  }
  /// For when what it is the hash of may have changed.
  void forget() { value_.store(kNone, std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kNone = 0;  // computed anew each time, should it ever come out
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

  std::atomic<std::uint64_t> value_ = kNone;
};

}  // namespace hone
