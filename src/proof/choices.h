#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/random.h"

namespace hone {

/// A source of small choices, either drawn at random or all there are one after another: `pick` answers what a run is
/// told to take, and `advance` moves on to the next run that differs.
class Choices {
 public:
  /// Drawn at random.
  static Choices random(std::uint64_t seed) {
    Choices choices;
    choices.rng_ = Rng(seed);
    return choices;
  }
  /// All of them in turn.
  static Choices all() { return {}; }

  /// One of `count` options.
  std::size_t pick(std::size_t count) {
    if (rng_) return static_cast<std::size_t>(rng_->below(count));
    if (position_ == taken_.size()) taken_.push_back({0, count});
    return taken_[position_++].option;
  }

  /// The next run; false when every run has been made.
  bool advance() {
    position_ = 0;
    if (rng_) return true;
    while (!taken_.empty() && taken_.back().option + 1 >= taken_.back().count) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().option;
    return true;
  }

 private:
  struct Taken {
    std::size_t option = 0;
    std::size_t count = 0;
  };

  std::optional<Rng> rng_;
  std::vector<Taken> taken_;
  std::size_t position_ = 0;
};

}  // namespace hone
