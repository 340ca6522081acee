#pragma once

#include <functional>
#include <limits>
#include <span>

#include "base/search_base.h"
#include "deliver/decision.h"
#include "deliver/judge.h"

namespace hone {

/// What a climb may spend; the first to run out ends it.
struct ClimbBudget {
  double seconds = 24;                                                // of timed runs; loading models comes on top
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();  // proposals timed
  double wall_seconds = std::numeric_limits<double>::infinity();      // everything included
  double look_seconds = 0;  // by the wall clock that a short look at one proposal has been seen to take
};

/// Says what is wrong with a proposal, in one sentence; nothing when it computes what it should.
using ProposalCheck = std::function<std::optional<std::string>(const Proposal&)>;

/// A proposal that was timed against the start.
struct RacedProposal {
  Proposal proposal;
  RatioEstimate ratio;
};
/// Whether to want what is expected to pay, or what may pay as little is known of it.
enum class Wish { likely, bold };
/// What to try, once moves have been timed one by one and then again whenever something was tried: several in one, to
/// be made of the start, or nothing.
using Combine = std::function<std::optional<Move>(std::span<const RacedProposal>, Wish)>;

/// What a move makes of a proposal. One that fails is logged and makes nothing.
std::optional<Proposal> made(const Move& move, const Proposal& from, DecisionLog& log);

/// From a start to a proposal that looks faster, by measurement.
///
/// First a race: all moves are timed side by side with the start. Then what these times make somebody want together is
/// tried, and what the time that took makes him want then, until he wants what was tried already. Where nobody wanted
/// anything that is faster, the better half is timed anew for twice as long. Then what came out faster is tried one
/// move after another, the best first and changes of the model before those of the runtime, each on top of what was
/// kept before. A move is kept when it is faster by more than its standard error and the check has nothing against it.
///
/// Whoever picks the best of many noisy figures picks luck too. So nothing here is a claim: figures of the race choose,
/// and what was chosen has to be measured again by the caller. A score is a share of the time that the start takes.
class Climb : public SearchBase<double> {
 public:
  /// Tells `announce`, which may be empty, what it is at.
  Climb(Judge& judge, ProposalCheck check, ClimbBudget budget, Announcer announce = {})
      : SearchBase({.evaluations = budget.evaluations, .seconds = budget.wall_seconds}, std::move(announce)),
        judge_(judge),
        check_(std::move(check)),
        all_timing_seconds_(budget.seconds),
        timing_seconds_(budget.seconds) {
    improves(1);
    expect_looks_of(budget.look_seconds);
  }

  /// Asks what to take together; what was timed against the start is remembered for that.
  void combine_by(Combine combine) { combine_ = std::move(combine); }

  Proposal run(const Proposal& start, std::span<const Move> moves, DecisionLog& log);

  /// What was timed against the start, as often as it was.
  std::span<const RacedProposal> raced() const { return raced_; }

  /// How much of what it may spend is gone, from 0 to 1.
  double share_done() const;

 private:
  struct Runner {
    const Move* move = nullptr;
    Proposal proposal;                        // the move made from the start
    std::optional<RatioEstimate> ratio = {};  // of the last lap it took part in
  };
  std::vector<Runner> race(const Proposal& start, std::span<const Move> moves, DecisionLog& log);
  struct Lap {
    double seconds = 0;  // of a proposal
    bool last = false;
    double looks_kept_back = 0;  // for what comes after the race
  };
  void share_out_steps(std::size_t steps);
  void time_lap(const Proposal& start, std::vector<Runner>& runners, const Lap& lap, DecisionLog& log);
  /// Tries what is wanted together, again and again; what it keeps takes the place of the start.
  bool take_together(const Proposal& start, Proposal& best, DecisionLog& log);
  bool keeps(const Proposal& to, const Move& move, const std::optional<RatioEstimate>& ratio, DecisionLog& log);
  std::optional<RatioEstimate> compare(const Proposal& from, const Proposal& to);
  void expect_looks_of(double seconds);
  std::size_t affordable(double looks_kept_back) const;
  void tell(const std::string& doing) const;
  Measurement measure(std::span<const Proposal> proposals, double seconds);

  Judge& judge_;
  ProposalCheck check_;
  Combine combine_;
  std::vector<RacedProposal> raced_;
  double all_timing_seconds_;  // of timed runs
  double timing_seconds_;      // of them that are left
  double look_seconds_ = 0;    // by the wall clock that a short look at one proposal takes
  double lap_seconds_ = 0;     // of a proposal in the second lap
  double step_seconds_ = 0;    // of a proposal when it is tried on top of what was kept
};

}  // namespace hone
