#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"

namespace hone {

/// A source of small choices, either all drawn at random, or enumerated: `pick` then answers what a run is told to
/// take, and `advance` moves on to the next run that differs. Choices of form (`draw`) are drawn in both cases: an
/// enumeration goes over shapes and attributes, and how they are written down varies from run to run.
class Choices {
 public:
  /// All drawn.
  static Choices random(std::uint64_t seed) { return Choices(Mode::random, seed); }
  /// All combinations of what `pick` decides, one after another.
  static Choices all(std::uint64_t seed = 0) { return Choices(Mode::all, seed); }

  /// One of `count` options.
  std::size_t pick(std::size_t count) {
    if (mode_ == Mode::random) return draw(count);
    if (position_ == taken_.size()) taken_.push_back({0, count});
    return taken_[position_++].option;
  }

  /// One of `count` forms of the same thing.
  std::size_t draw(std::size_t count) { return static_cast<std::size_t>(rng_.below(count)); }

  /// Whether to take a likely option at once instead of looking at all: one time in `often` where choices are drawn,
  /// never in an enumeration, which gets there anyway.
  bool shortcut(std::size_t often) { return mode_ == Mode::random && draw(often) == 0; }

  /// The same run again, with other forms.
  void repeat(std::uint64_t seed) {
    position_ = 0;
    rng_ = Rng(seed);
  }

  /// The next run; false when every run has been made.
  bool advance() {
    position_ = 0;
    if (mode_ == Mode::random) return true;
    while (!taken_.empty() && taken_.back().option + 1 >= taken_.back().count) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().option;
    return true;
  }

 private:
  enum class Mode { random, all };
  struct Taken {
    std::size_t option = 0;
    std::size_t count = 0;
  };

  Choices(Mode mode, std::uint64_t seed) : mode_(mode), rng_(seed) {}

  Mode mode_;
  Rng rng_;
  std::vector<Taken> taken_;
  std::size_t position_ = 0;
};

}  // namespace hone
