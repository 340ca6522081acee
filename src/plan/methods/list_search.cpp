// Search over list schedules. Each is made in one pass over the operations, from the start or from the end, by keys and
// by prices of devices; from what a pass has made the next one goes back, as in Tormos and Lova, "A competitive
// heuristic solution technique for resource-constrained project scheduling", 2001. Every pass makes a plan that is
// evaluated, so that evaluations count passes.

#include <algorithm>
#include <limits>

#include "plan/methods/list_decoder.h"
#include "plan/methods/list_moves.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

struct ListSearchParameters {
  std::int64_t patience = 1'000'000'000;
  std::int64_t passes = 6;
  double turns = 0.7;
  double worse = 0.005;
  std::int64_t stall = 200;
  double anew = 0.5;
  double until = 1;
  std::int64_t tries = 1;

  Parameters list() {
    return Parameters()
        .add("patience", &patience, {1, 1e9}, "evaluations without a better plan after which it ends")
        .add("passes", &passes, {1, 100}, "schedules that are made of one another, back and forth, at most")
        .add("turns", &turns, {0, 1}, "chance that a schedule is made again from its other end")
        .add("worse", &worse, {0, 1}, "how much worse than the best, at most, is a plan that is gone on from")
        .add("stall", &stall, {1, 1e9}, "evaluations without a better plan after which it starts from elsewhere")
        .add("anew", &anew, {0, 1}, "chance that this is from nothing and not from where it ended before")
        .add("until", &until, {0, 1}, "share of the budget after which it ends once it starts from elsewhere")
        .add("tries", &tries, {0, 1}, "1: the longest paths of the graph come first; 0: only the plan it begins with");
  }
};

/// One run of the search: where it stands and what it has learned.
class ListSearchRun {
 public:
  ListSearchRun(Search& search, const ListSearchParameters& parameters)
      : search_(search),
        parameters_(parameters),
        durations_(search.problem()),
        decoder_(durations_),
        moves_(durations_),
        rng_(search.rng()) {}

  void run() {
    if (durations_.problem().workload.operation_count() == 0) return;
    const Decisions given = search_.task().encode(search_.best_plan());
    const Score given_score = search_.best();
    if (parameters_.tries == 1)
      for (ListGuidance& guidance : moves_.first_tries())
        if (!try_pass(guidance)) return;
    // Only now, so that a plan which is worse than these changes nothing.
    if (given_score < walk_.best) go_to(given, given_score);
    std::uint64_t found_at = search_.evaluations();
    for (Score best = search_.best();
         search_.evaluations() - found_at < static_cast<std::uint64_t>(parameters_.patience);) {
      if (!try_move()) return;
      if (search_.best() < best) found_at = search_.evaluations();
      best = search_.best();
      if (search_.evaluations() - walk_.found_at < static_cast<std::uint64_t>(parameters_.stall)) continue;
      if (search_.share_spent() >= parameters_.until) return;
      change_walk();
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kWalks = 4;  // that have ended and may be gone on with
  /// A schedule that is longer than the best by more than this is not made again.
  static constexpr double kHopeless = 1.1;
  /// How the share of memory that a schedule may use changes when the plan of one does not fit, and when it does.
  static constexpr double kTighter = 0.9, kLooser = 1.03, kLeastRoom = 0.2;

  /// Where a walk from plan to plan is.
  struct Walk {
    Decisions row;
    ListPoint point;                                    // of the row, or of one before
    bool is_traced = false;                             // the point is of the row
    Score score = {.excess = kNever, .value = kNever};  // of the point
    Score best = {.excess = kNever, .value = kNever};
    std::uint64_t found_at = 0;  // evaluations
  };

  /// One move and what is made of its schedule back and forth; false when the budget is spent.
  bool try_move() {
    ListMoves::Move move = moves_.draw_move(rng_);
    if (move.kept != ListMoves::Kept::nothing) trace_walk();
    if (walk_.point.starts.empty()) move.kept = ListMoves::Kept::nothing;
    const Score before = walk_.best;
    ListGuidance guidance = moves_.draw(move, walk_.point, rng_);
    for (std::int64_t pass = 1; try_pass(guidance); ++pass) {
      const bool goes_on = pass < parameters_.passes && rng_.uniform() < parameters_.turns &&
                           cost_.seconds < kHopeless * walk_.best.value;
      if (!goes_on) {
        moves_.learn(move, walk_.best < before);
        return true;
      }
      guidance = moves_.turned(std::move(guidance), decoder_.finishes(), plan_.device_of, rng_);
    }
    return false;
  }

  /// Makes a schedule and has its plan evaluated; false when the budget is spent.
  bool try_pass(ListGuidance& guidance) {
    guidance.room = room_;
    plan_ = decoder_.decode(guidance, search_.start());
    const Decisions row = search_.task().encode(plan_);
    const std::span<const Cost> costs = search_.evaluate(row);
    if (costs.empty()) return false;
    cost_ = costs.front();
    room_ = cost_.overflow_bytes > 0 ? std::max(kLeastRoom, kTighter * room_) : std::min(1.0, kLooser * room_);
    if (const Score score = search_.score(cost_); is_acceptable(score)) go_to(row, score);
    return true;
  }

  /// What is better than where the walk is, and what is about as good as its best.
  bool is_acceptable(const Score& score) {
    if (score < walk_.score) return true;
    return score != walk_.score && score.excess == walk_.best.excess &&
           score.value <= walk_.best.value * (1 + parameters_.worse * rng_.uniform());
  }

  /// Goes on from these decisions.
  void go_to(const Decisions& row, const Score& score) {
    walk_.row = row;
    walk_.is_traced = false;
    walk_.score = score;
    if (score < walk_.best) {
      walk_.best = score;
      walk_.found_at = search_.evaluations();
    }
  }

  /// Finds out what happens in the plan that the walk is at, which costs an evaluation and so is done only when it has
  /// to be known. Where nobody can tell the point stays as it is.
  void trace_walk() {
    if (walk_.is_traced || walk_.row.empty()) return;
    walk_.is_traced = true;
    const std::optional<Timeline> timeline = search_.trace(walk_.row);
    Plan plan = search_.start();
    search_.task().apply(walk_.row, plan);
    if (timeline && timeline->runs.size() == plan.group_count())
      walk_.point = ListPoint::of(*timeline, plan, durations_.problem());
  }

  /// Begins another walk, or goes on with one that has ended.
  void change_walk() {
    ended_.push_back(std::move(walk_));
    if (ended_.size() > kWalks) ended_.erase(std::ranges::max_element(ended_, {}, &Walk::best));
    walk_ = Walk();
    if (rng_.uniform() >= parameters_.anew) {
      const std::size_t lot = rng_.below(ended_.size());
      std::swap(walk_, ended_[lot]);
      ended_.erase(ended_.begin() + static_cast<std::ptrdiff_t>(lot));
    }
    walk_.found_at = search_.evaluations();
  }

  Search& search_;
  const ListSearchParameters& parameters_;
  Durations durations_;
  ListDecoder decoder_;
  ListMoves moves_;
  Rng rng_;
  Walk walk_;
  std::vector<Walk> ended_;
  double room_ = 1;  // share of the memory that the next schedule may use
  Plan plan_;        // of the last schedule
  Cost cost_;
};

class ListSearch final : public Optimizer {
 public:
  explicit ListSearch(const ListSearchParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override { ListSearchRun(search, parameters_).run(); }
  Parameters parameters() override { return parameters_.list(); }

 private:
  ListSearchParameters parameters_;
};

const OptimizerKind list_search_kind = OptimizerKind::with_parameters<ListSearch, ListSearchParameters>(
    "list-search", "list schedules from both ends, and of ever better orders and devices");

}  // namespace
}  // namespace hone
