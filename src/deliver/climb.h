#pragma once

#include <functional>
#include <limits>
#include <span>

#include "base/timer.h"
#include "deliver/decision.h"
#include "deliver/judge.h"

namespace hone {

/// What a climb may spend; the first to run out ends it.
struct ClimbBudget {
  double seconds = 15;  // of timed runs; loading models and the work of others come on top, up to a limit
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();  // proposals timed
};

/// Says what is wrong with a proposal, in one sentence; empty when it computes what it should.
using ProposalCheck = std::function<std::string(const Proposal&)>;

/// From a start to a faster proposal by measurement alone. All moves are timed against the start for a short while;
/// those that looked faster are then tried one after another, the best first and changes of the model before those of
/// the runtime, each on top of what was kept before. A step is kept when a second measurement proves it faster and the
/// check has nothing against it. Every step and every refusal goes into the log.
class Climb {
 public:
  Climb(Judge& judge, ProposalCheck check, ClimbBudget budget)
      : judge_(judge), check_(std::move(check)), budget_(budget) {}

  Proposal run(const Proposal& start, std::span<const Move> moves, DecisionLog& log);

 private:
  struct Tried {
    const Move* move = nullptr;
    RatioEstimate ratio;
  };
  std::vector<Tried> screen(const Proposal& start, std::span<const Move> moves, DecisionLog& log);
  void judge_group(std::span<const Proposal> group, std::span<const Move* const> moves, std::vector<Tried>& tried,
                   DecisionLog& log);
  bool keeps(const Proposal& from, const Proposal& to, const Tried& tried, DecisionLog& log);
  bool spent() const;
  Measurement measure(std::span<const Proposal> proposals, double seconds);

  Judge& judge_;
  ProposalCheck check_;
  ClimbBudget budget_;
  double screen_seconds_ = 0;
  double timed_seconds_ = 0;
  Timer timer_;
  std::size_t evaluations_ = 0;
};

}  // namespace hone
