#include "deliver/climb.h"

#include <algorithm>

#include "base/interrupt.h"

namespace hone {
namespace {

constexpr std::size_t kGroup = 6;            // moves timed side by side; more would hold too many sessions in memory
constexpr double kWorthASecondLook = 1.003;  // speed-up that the short measurement has to show
constexpr double kScreenShare = 0.4;         // of the seconds
constexpr double kShortestScreen = 0.15, kLongestScreen = 1.0;  // seconds of a proposal
constexpr double kPatience = 6;                                 // wall seconds over the seconds of timed runs asked for
constexpr double kConfirm = 2.5;                                // as long as the short measurement

bool is_level(const Move& move) { return move.name.starts_with("level "); }

/// Changes of the model first, levels last: what they are worth depends on what was kept before.
int rank(const Move& move) { return move.part == Part::model ? 0 : is_level(move) ? 2 : 1; }

}  // namespace

bool Climb::spent() const {
  return timed_seconds_ >= budget_.seconds || timer_.seconds() >= kPatience * budget_.seconds ||
         evaluations_ >= budget_.evaluations || interrupted();
}

Measurement Climb::measure(std::span<const Proposal> proposals, double seconds) {
  evaluations_ += proposals.size() - 1;
  timed_seconds_ += seconds * static_cast<double>(proposals.size());
  return judge_.judge(proposals, seconds);
}

void Climb::judge_group(std::span<const Proposal> group, std::span<const Move* const> moves, std::vector<Tried>& tried,
                        DecisionLog& log) {
  const Measurement measurement = measure(group, screen_seconds_);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const Measured& found = measurement.models[i + 1];
    if (!found.failure.empty()) {
      log.push_back({"search", moves[i]->name, "rejected", "does not run: " + found.failure});
    } else if (!found.ratio) {
      log.push_back({"search", moves[i]->name, "rejected", "could not be compared"});
    } else if (found.ratio->speedup() < kWorthASecondLook) {
      log.push_back({"search", moves[i]->name, "rejected", "not faster in the short measurement", found.ratio});
    } else {
      tried.push_back({moves[i], *found.ratio});
    }
  }
}

std::vector<Climb::Tried> Climb::screen(const Proposal& start, std::span<const Move> moves, DecisionLog& log) {
  std::vector<Proposal> proposals;
  std::vector<const Move*> applicable;
  for (const Move& move : moves) {
    std::optional<Proposal> next = move.apply(start);
    if (!next) continue;
    proposals.push_back(std::move(*next));
    applicable.push_back(&move);
  }
  std::vector<Tried> tried;
  screen_seconds_ = std::clamp(kScreenShare * budget_.seconds / static_cast<double>(proposals.size() + 1),
                               kShortestScreen, kLongestScreen);
  for (std::size_t at = 0; at < proposals.size() && !spent(); at += kGroup) {
    const std::size_t count = std::min(kGroup, proposals.size() - at);
    std::vector<Proposal> group{start};
    group.insert(group.end(), proposals.begin() + static_cast<std::ptrdiff_t>(at),
                 proposals.begin() + static_cast<std::ptrdiff_t>(at + count));
    judge_group(group, std::span(applicable).subspan(at, count), tried, log);
  }
  std::ranges::stable_sort(tried, [](const Tried& a, const Tried& b) {
    return std::pair(rank(*a.move), a.ratio.ratio) < std::pair(rank(*b.move), b.ratio.ratio);
  });
  return tried;
}

bool Climb::keeps(const Proposal& from, const Proposal& to, const Tried& tried, DecisionLog& log) {
  const std::string& name = tried.move->name;
  const Proposal pair[] = {from, to};
  const Measurement measurement = measure(pair, screen_seconds_ * kConfirm);
  const std::optional<RatioEstimate>& ratio = measurement.models[1].ratio;
  if (!ratio || !ratio->differs || ratio->ratio >= 1) {
    log.push_back({"search", name, "rejected", "a longer measurement does not prove it faster", ratio});
    return false;
  }
  if (std::string wrong = tried.move->part == Part::model ? check_(to) : std::string(); !wrong.empty()) {
    log.push_back({"search", name, "rejected", "changes results: " + wrong, ratio});
    return false;
  }
  log.push_back({"search", name, "kept", "measured faster than what was kept before", ratio});
  return true;
}

Proposal Climb::run(const Proposal& start, std::span<const Move> moves, DecisionLog& log) {
  Proposal best = start;
  for (const Tried& each : screen(start, moves, log)) {
    if (spent()) {
      log.push_back(
          {"search", each.move->name, "rejected", "the budget ended before it could be confirmed", each.ratio});
      continue;
    }
    const std::optional<Proposal> next = each.move->apply(best);
    if (!next) log.push_back({"search", each.move->name, "rejected", "nothing left to change", each.ratio});
    else if (keeps(best, *next, each, log)) best = *next;
  }
  return best;
}

}  // namespace hone
