#pragma once

#include <cmath>
#include <cstdint>

#include "base/hash.h"

namespace hone {

/// The one source of randomness: a small counter-based generator, the same on every machine. Hand it down by
/// reference or `split` it; never make one from a clock.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(mix(0x2545F4914F6CDD1Dull, seed)) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
  }

  /// A generator whose stream is independent of this one's and of those split off with another label.
  Rng split(std::uint64_t label) const { return Rng(mix(state_, label)); }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in [0, bound).
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  /// Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    // Unsigned, since the width of the range may not fit; a width of 2^64 is every word.
    const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (count == 0 ? next() : below(count)));
  }

  /// Standard normal, by Box and Muller's transform.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace hone
