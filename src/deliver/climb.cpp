#include "deliver/climb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::size_t kGroup = 6;       // moves timed side by side; more would hold too many sessions in memory
constexpr std::size_t kFinishers = 4;   // at least so many come through the first lap
constexpr double kFirstLapShare = 0.2;  // of the seconds
constexpr double kShortestLap = 0.15, kLongestLap = 0.6;  // seconds of a proposal in the first lap
constexpr double kLongestStep = 3;                        // and when it is tried on top of others
constexpr std::size_t kBoldWishes = 2;                    // granted where nothing else is wanted together
constexpr double kLooksToCombine = 3;                     // kept back for making several moves in one and comparing it
constexpr double kSmallestStep = 0.003;                   // share of the time that a step has to take away

/// Whether it came out faster by more than its standard error.
bool looks_faster(const RatioEstimate& ratio) {
  return std::log(ratio.ratio) < -std::max(kSmallestStep, log_error(ratio));
}

/// Why something that was timed is no step, in agreement with the figure beside it.
std::string no_step(const std::optional<RatioEstimate>& ratio) {
  if (!ratio) return "could not be compared with what was kept before";
  return ratio->ratio < 1 ? "not faster than what was kept before by more than chance"
                          : "not faster than what was kept before";
}

/// Why something that was timed is a step. The whole is measured again at the end, so a step need not be certain.
std::string step(const RatioEstimate& ratio) {
  return ratio.high < 1 ? "faster than what was kept before" : "probably faster than what was kept before";
}

}  // namespace

std::optional<Proposal> made(const Move& move, const Proposal& from, DecisionLog& log) {
  try {
    return move.apply(from);
  } catch (const InputError& error) {
    log.push_back({Stage::search, move.name, Verdict::rejected, fmt::format("cannot be made: {}", error.what())});
    return std::nullopt;
  }
}

/// To compare two proposals is the least that can be done, and is not begun without the time for it.
void Climb::expect_looks_of(double seconds) {
  look_seconds_ = std::max(seconds, 1e-9);
  reserve(2 * look_seconds_);
}

/// How many proposals can still be timed side by side with another before the time is up or no more is left than what
/// is kept back.
std::size_t Climb::affordable(double looks_kept_back) const {
  const std::size_t group = std::min(kGroup, judge_.most_at_once() - 1);
  const double looks = (budget().seconds - seconds()) / look_seconds_ - looks_kept_back;
  return looks >= static_cast<double>(group) + 1 ? group : static_cast<std::size_t>(std::max(0.0, looks - 1));
}

double Climb::share_done() const {
  const double evaluations = static_cast<double>(this->evaluations()) / static_cast<double>(budget().evaluations);
  const double timed = std::isfinite(all_timing_seconds_) ? 1 - timing_seconds_ / all_timing_seconds_ : 0;
  return std::clamp(std::max({evaluations, timed, seconds() / budget().seconds}), 0.0, 1.0);
}

void Climb::tell(const std::string& doing) const {
  announce(best() < 1 ? fmt::format("{}; best so far {:.3f} times as fast", doing, 1 / best()) : doing);
}

Measurement Climb::measure(std::span<const Proposal> proposals, double seconds) {
  const auto count = static_cast<double>(proposals.size());
  spend(proposals.size() - 1);
  timing_seconds_ -= seconds * count;
  if (timing_seconds_ <= 0) end_by(SearchEnd::seconds);
  const double began = this->seconds();
  Measurement found = judge_.judge(proposals, seconds);
  expect_looks_of((this->seconds() - began) / count);
  return found;
}

/// Times all runners; those that fail leave, and those that are too slow. The fastest stand first then.
void Climb::time_lap(const Proposal& start, std::vector<Runner>& runners, const Lap& lap, DecisionLog& log) {
  std::vector<Runner> left;
  // A short lap proves little: only who is certainly slower leaves, while the last asks for more.
  const auto is_too_slow = [&](const RatioEstimate& ratio) { return lap.last ? ratio.ratio >= 1 : ratio.low > 1; };
  const auto refuse = [&](const Runner& runner, std::string reason, std::optional<RatioEstimate> ratio = {}) {
    log.push_back({Stage::search, runner.move->name, Verdict::rejected, std::move(reason), ratio});
  };
  const auto skip = [&](const Runner& runner) {
    log.push_back({Stage::search, runner.move->name, Verdict::skipped, "the budget ended before it was timed"});
  };
  for (std::size_t at = 0, size = 0; at < runners.size(); at += size) {
    const std::size_t most = affordable(lap.looks_kept_back);
    size = std::min(std::max<std::size_t>(most, 1), runners.size() - at);
    const auto group = std::span(runners).subspan(at, size);
    tell(fmt::format("timing {} to {} of {} candidates{}", at + 1, at + size, runners.size(),
                     lap.last ? " that look good, for longer" : ""));
    if (spent() || (most == 0 && !raced_.empty())) {  // who was timed before keeps that figure
      for (Runner& runner : group)
        if (runner.ratio) left.push_back(std::move(runner));
        else skip(runner);
      continue;
    }
    std::vector<Proposal> proposals{start};
    for (const Runner& runner : group) proposals.push_back(runner.proposal);
    const Measurement measurement = measure(proposals, lap.seconds);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Measured& found = measurement.models[i + 1];
      if (combine_ && found.ratio) raced_.push_back({group[i].proposal, *found.ratio});
      if (!found.failure.empty()) refuse(group[i], "does not run: " + found.failure);
      else if (!found.ratio) refuse(group[i], "could not be compared");
      else if (is_too_slow(*found.ratio)) refuse(group[i], "not faster", found.ratio);
      else left.push_back({group[i].move, std::move(group[i].proposal), found.ratio});
    }
  }
  runners = std::move(left);
  std::ranges::stable_sort(runners, {}, [](const Runner& runner) { return runner.ratio->ratio; });
}

std::vector<Climb::Runner> Climb::race(const Proposal& start, std::span<const Move> moves, DecisionLog& log) {
  std::vector<Runner> runners;
  std::size_t at = 0;
  for (; at < moves.size() && !deadline().is_over(); ++at) {
    tell("making " + moves[at].name);
    if (std::optional<Proposal> next = made(moves[at], start, log))
      runners.push_back({&moves[at], std::move(*next), {}});
  }
  if (at < moves.size())
    log.push_back({Stage::search, fmt::format("{} other moves", moves.size() - at), Verdict::skipped,
                   "the budget ended before they were made"});
  const double first =
      std::clamp(kFirstLapShare * timing_seconds_ / static_cast<double>(runners.size() + 1), kShortestLap, kLongestLap);
  // Where the time is short, timing less by itself pays for timing once what the figures want together.
  const double kept_back = combine_ ? kLooksToCombine : 0;
  time_lap(start, runners, {.seconds = first, .last = false, .looks_kept_back = kept_back}, log);
  const std::size_t through = std::max(kFinishers, (runners.size() + 1) / 2);
  for (; runners.size() > through; runners.pop_back())
    log.push_back(
        {Stage::search, runners.back().move->name, Verdict::rejected, "others looked better", runners.back().ratio});
  lap_seconds_ = 2 * first;
  share_out_steps(runners.size());
  return runners;
}

/// What is left for timing is for trying as many on top of what was kept.
void Climb::share_out_steps(std::size_t steps) {
  const double left = timing_seconds_ / static_cast<double>(2 * steps + 1);
  step_seconds_ = std::clamp(left, lap_seconds_, kLongestStep);
}

bool Climb::take_together(const Proposal& start, Proposal& best, DecisionLog& log) {
  std::set<std::string> tried;
  std::optional<RatioEstimate> kept;  // what the best takes over the start, once that is not the start itself
  Wish wish = Wish::likely;
  for (std::size_t bold = 0; combine_ && !spent();) {
    const std::optional<Move> together = combine_(raced_, wish);
    if (!together || !tried.insert(together->name).second) {
      if (wish == Wish::bold || ++bold > kBoldWishes) break;
      wish = Wish::bold;
      continue;
    }
    wish = Wish::likely;
    tell("trying " + together->name);
    const std::optional<Proposal> next = made(*together, start, log);
    const std::optional<RatioEstimate> ratio = next ? compare(best, *next) : std::nullopt;
    if (!ratio) break;
    const RatioEstimate over_start = kept ? chained(*ratio, *kept) : *ratio;
    raced_.push_back({*next, over_start});
    if (!keeps(*next, *together, ratio, log)) continue;
    best = *next;
    kept = over_start;
  }
  return kept.has_value();
}

std::optional<RatioEstimate> Climb::compare(const Proposal& from, const Proposal& to) {
  const Proposal pair[] = {from, to};
  return measure(pair, step_seconds_).models[1].ratio;
}

bool Climb::keeps(const Proposal& to, const Move& move, const std::optional<RatioEstimate>& ratio, DecisionLog& log) {
  if (!ratio || !looks_faster(*ratio)) {
    log.push_back({Stage::search, move.name, Verdict::rejected, no_step(ratio), ratio});
    return false;
  }
  if (const auto flaw = move.kind == Move::Kind::model ? check_(to) : std::nullopt) {
    log.push_back({Stage::search, move.name, Verdict::rejected, "changes results: " + *flaw, ratio});
    return false;
  }
  log.push_back({Stage::search, move.name, Verdict::kept, step(*ratio), ratio});
  improves(best() * ratio->ratio);
  return true;
}

Proposal Climb::run(const Proposal& start, std::span<const Move> moves, DecisionLog& log) {
  Proposal best = start;
  std::vector<Runner> runners = race(start, moves, log);
  bool stepped = take_together(start, best, log);
  if (!stepped) time_lap(start, runners, {.seconds = lap_seconds_, .last = true}, log);
  share_out_steps(runners.size());
  std::ranges::stable_sort(runners, {}, [](const Runner& runner) { return runner.move->kind; });
  for (const Runner& runner : runners) {
    const bool out_of_budget = spent();
    if (out_of_budget && stepped) {
      log.push_back({Stage::search, runner.move->name, Verdict::skipped,
                     "alone so much faster, but the budget ended before it was tried on top of what was kept",
                     runner.ratio});
      continue;
    }
    tell("trying " + runner.move->name + " on top");
    // Without time for a first step, the figure of the race has to do.
    const std::optional<Proposal> next = out_of_budget ? runner.proposal : made(*runner.move, best, log);
    if (!next) {
      log.push_back({Stage::search, runner.move->name, Verdict::skipped,
                     "alone so much faster, but what was kept leaves it nothing to change", runner.ratio});
    } else if (keeps(*next, *runner.move, out_of_budget ? runner.ratio : compare(best, *next), log)) {
      best = *next;
      stepped = true;
    }
  }
  return best;
}

}  // namespace hone
