#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/progress.h"
#include "base/timer.h"

namespace hone {

/// How much a search may spend; it stops at whichever comes first.
struct Budget {
  std::uint64_t evaluations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

/// Why a search ended.
enum class SearchEnd { nothing_left, evaluations, seconds, interrupted, proved_best };
/// `the time is up` and the like.
std::string_view text_of(SearchEnd end);
/// `time` and the like, for programs.
std::string_view name_of(SearchEnd end);
/// The last line about a search: `ended after 8.0 s: the time is up`.
std::string ending_text(SearchEnd end, double seconds);

/// What a search has spent of its budget, and whether it should go on. Nobody else counts, times or looks for Ctrl-C.
class SearchEffort {
 public:
  /// `announce` takes lines that say how far it is; it may be empty.
  SearchEffort(const Budget& budget, Announcer announce) : budget_(budget), announce_(std::move(announce)) {}

  /// Whether to stop.
  bool spent() const;
  /// How much of the budget is gone, from 0 to 1; next to nothing when there is no end to it.
  double share_spent() const;
  /// Why it is spent; `nothing_left` while it is not, which is why a search then ends that does.
  SearchEnd end() const;
  std::uint64_t evaluations() const { return evaluations_; }
  double seconds() const { return seconds_before_ + (replaying_ ? 0 : timer_.seconds()); }
  /// When the time is up, for what would take long between two evaluations.
  Deadline deadline() const;

  void spend(std::uint64_t evaluations) { evaluations_ += evaluations; }

 protected:
  const Budget& budget() const { return budget_; }
  /// An end that only the search itself can see.
  void end_by(SearchEnd end) { ended_ = end; }
  /// Seconds to be left of the budget for what has to be done at once.
  void reserve(double seconds) { reserved_ = seconds; }
  /// From which moment the share of time that is spent is reckoned: a search that is resumed must find the same.
  void reckon_time_at(double seconds) { reckoned_at_ = seconds; }

  /// While what an earlier run did is taken from its journal, the clock stands where it stood then, and nothing ends by
  /// it; afterwards it goes on from there.
  void replay_at(double seconds);
  void end_replay();

  /// Whether the last line about the progress is old enough for another.
  bool is_line_due() const;
  void announce(const std::string& line) const;
  /// Announces what has been spent and the best so far.
  void announce_best(const std::string& best);

 private:
  bool is_late() const { return !replaying_ && seconds() + reserved_ >= budget_.seconds; }

  Budget budget_;
  Announcer announce_;
  Timer timer_;
  double seconds_before_ = 0;  // the timer was started, in an earlier run
  bool replaying_ = false;
  double reserved_ = 0, reckoned_at_ = 0;
  double announced_at_ = 0;
  std::uint64_t evaluations_ = 0;
  SearchEnd ended_ = SearchEnd::nothing_left;
};

/// What searches for plans, rewrites and whole models have in common, whatever they look for: a budget, a clock,
/// Ctrl-C, a line that shows progress, the best score and the curve of improvements. Less is better.
template <class Score>
class SearchBase : public SearchEffort {
 public:
  /// One improvement.
  struct Point {
    std::uint64_t evaluations = 0;
    double seconds = 0;
    Score score;
  };

  using SearchEffort::SearchEffort;

  const Score& best() const { return curve_.back().score; }
  /// Every improvement; the first point is the start.
  const std::vector<Point>& curve() const { return curve_; }

 protected:
  /// Whether a score is the best so far; it enters the curve then. The first is that of the start.
  bool improves(const Score& score) {
    if (!curve_.empty() && !(score < best())) return false;
    curve_.push_back({evaluations(), seconds(), score});
    return true;
  }

 private:
  std::vector<Point> curve_;
};

}  // namespace hone
