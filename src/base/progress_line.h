#pragma once

#include <optional>
#include <string>

#include "base/timer.h"

namespace hone {

/// How far something is that somebody waits for.
struct ProgressLine {
  std::string doing;                 // in a few words
  std::string best = {};             // so far; empty while there is none
  double seconds = 0;                // since it began
  std::optional<double> share = {};  // that is done, from 0 to 1, where an end is in sight
};

/// `42 %, 12 s, about 17 s left; best 1.23 times as fast; timing 3 to 6 of 12 candidates`: what matters most comes
/// first, since a narrow terminal shows the beginning.
std::string progress_text(const ProgressLine& line);

/// Shows it where standard error is a terminal, see `show_progress`.
void show_progress(const ProgressLine& line);

/// Progress of work in parts that can be counted. It begins when this is made.
class CountedProgress {
 public:
  explicit CountedProgress(std::size_t all) : all_(all) {}
  /// Shows that so many of the parts are done.
  void show(std::size_t done, std::string doing, std::string best = {}) const;

 private:
  std::size_t all_;
  Timer timer_;
};

/// `12 s`, `3 min 20 s`, `2 h 5 min`.
std::string duration_text(double seconds);

}  // namespace hone
