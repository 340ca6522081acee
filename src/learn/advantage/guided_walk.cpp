#include "learn/advantage/guided_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/distinct.h"

namespace hone {
namespace {

constexpr double kClearAdvantage = -0.05;               // predicted, of what is changed unseen together with others
constexpr double kMoveMemory = 0.99;                    // of what came of a kind of move, each time it is made
constexpr double kFirstSuccess = 0.3, kFirstTries = 1;  // what is thought of a move that was never made
constexpr std::size_t kFewFlips = 8, kFewOfUnits = 32;  // fewer, and a smaller share, are better tried one by one
constexpr std::uint64_t kFirstPatience = 16;  // evaluations until many are flipped again after that was in vain
constexpr std::size_t kMostLooks = 8, kLookedThrough = 8000;  // paths, and operations, for one that is evaluated
constexpr std::size_t kScreened = 16;                         // mutations, for one that is evaluated
constexpr double kLargestKick = 32;                           // decisions
constexpr int kRepeatHalvings = 1;  // where a change does not help at all places that look alike
constexpr std::int64_t kKickSteps = 4;
constexpr std::size_t kMostFollowers = 128;  // decisions that are looked at after a change
constexpr std::size_t kMostRounds = 24;      // of flips, to decide everything anew
constexpr std::size_t kLongestPath = 4;      // changes after the first
constexpr std::int64_t kMostChecks = 12;     // of halves, each time many are flipped
constexpr double kShareToHold = 0.8;         // of what is predicted of many flips; below, some of them must be wrong

}  // namespace

GuidedWalk::GuidedWalk(Search& search, const DecisionUnits& units, const AdvantageParameters& parameters,
                       const Policy& policy)
    : UnguidedWalk(search, units, parameters),
      features_(search.problem(), search.task(), units, search.start()),
      scout_(search.problem(), search.task(), units, search.start()),
      model_(policy),
      table_(units, model_, features_),
      alike_(search.problem().workload, units) {}

void GuidedWalk::run() {
  if (!begin()) return;
  table_.set(current_);
  scout_.set(current_);  // so that both have the same scale
  if (!is_published() && parameters_.flips == "many") decide_anew();
  while (!search_.spent()) {
    if (is_published()) {
      if (!try_important()) return;
      continue;
    }
    if (parameters_.flips == "many")
      while (flip_many()) continue;
    if (!step(pick()) || !repeat_elsewhere()) return;
  }
}

CandidateTable::Learning GuidedWalk::learning() const {
  return parameters_.learning == "online" ? CandidateTable::Learning::online : CandidateTable::Learning::offline;
}

std::size_t GuidedWalk::window() const {
  return std::max<std::size_t>(1,
                               static_cast<std::size_t>(parameters_.alpha / 100 * static_cast<double>(table_.size())));
}

/// One of the top decisions by magnitude; it and its neighbours are decided anew at random.
bool GuidedWalk::try_important() {
  if (top_.empty()) top_ = table_.best(AdvantageOutput::magnitude, window());
  if (top_.empty()) return try_mutation(any_unit());
  const std::uint32_t unit = table_.at(top_[rng_.below(top_.size())]).unit;
  return try_mutation(units_.sites(unit).size() == 1 ? unit : units_.neighbourhood(unit, 1, 2).back());
}

/// Decisions that hang together take the same option.
bool GuidedWalk::try_kick() {
  const std::uint32_t unit = any_unit();
  const auto option = static_cast<std::uint32_t>(rng_.below(units_.at(unit).options));
  Path path{.row = current_};
  const auto reach = static_cast<std::size_t>(std::pow(kLargestKick, rng_.uniform()));
  for (const std::uint32_t near : units_.neighbourhood(unit, kKickSteps, reach)) {
    if (units_.at(near).options != units_.at(unit).options) continue;
    units_.set(path.row, near, option);
    path.changed.push_back(near);
  }
  return try_repaired(std::move(path), Move::kick);
}

/// Of some mutations drawn at random, the one whose decisions are predicted to cost least, each by itself.
bool GuidedWalk::try_screened() {
  Path best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t draw = 0; draw < kScreened; ++draw) {
    Path path{.row = current_};
    path.changed = mutate(any_unit(), path.row);
    double sum = 0;
    bool is_change = false;
    for (const std::uint32_t unit : path.changed) {
      const std::uint32_t entry = table_.entry({unit, units_.option(path.row, unit)});
      if (!table_.is_open(entry)) continue;
      sum += seconds_of(table_.advantage(entry));
      is_change = is_change || !table_.is_tried(entry) || path.changed.size() > 1;
    }
    if (!is_change || sum >= least) continue;
    least = sum;
    best = std::move(path);
  }
  if (best.changed.empty()) return try_mutation(any_unit());
  return try_repaired(std::move(best), Move::screened);
}

/// What is predicted to help after some changes is changed as well.
bool GuidedWalk::try_repaired(Path path, Move move) {
  for (std::size_t step = 0; step < kLongestPath && lengthen(path); ++step) continue;
  const std::optional<Score> found = evaluate(path.row);
  if (!found) return false;
  learn(move, *found < score_);
  if (*found <= score_ && path.row != current_) keep(std::move(path.row), *found, path.changed);
  return true;
}

/// Kinds of moves that made things better lately more often.
GuidedWalk::Move GuidedWalk::pick() {
  double sum = 0;
  for (const Record& record : records_) sum += record.rate();
  double lot = rng_.uniform() * sum;
  std::size_t move = 0;
  while (move + 1 < kMoves && (lot -= records_[move].rate()) >= 0) ++move;
  return static_cast<Move>(move);
}

void GuidedWalk::Record::add(bool was_better) {
  tries = kMoveMemory * tries + 1;
  successes = kMoveMemory * successes + (was_better ? 1 : 0);
}

double GuidedWalk::Record::rate() const { return (kFirstSuccess + successes) / (kFirstTries + tries); }

bool GuidedWalk::step(Move move) {
  if (move == Move::single) return try_single();
  if (move == Move::path) return try_path();
  if (move == Move::kick) return try_kick();
  if (move == Move::screened) return try_screened();
  return try_mutation(any_unit());
}

/// Of the best changes that were not tried one that is drawn; false when the budget is spent.
bool GuidedWalk::try_single() {
  if (drawn_ == pool_.size()) {
    pool_ = table_.best(AdvantageOutput::advantage, window());
    drawn_ = 0;
    for (std::size_t i = pool_.size(); i > 1; --i) std::swap(pool_[i - 1], pool_[rng_.below(i)]);
  }
  if (pool_.empty()) {
    learn(Move::single, false);
    return try_mutation(any_unit());
  }
  const std::uint32_t entry = pool_[drawn_++];
  if (!table_.is_open(entry) || table_.is_tried(entry)) return true;
  const Score before = score_;
  const bool goes_on = flip(std::span(&entry, 1));
  learn(Move::single, score_ < before);
  return goes_on;
}

/// Where no single change helps, one may make way for another: looks at what could follow the most promising changes,
/// and evaluates what is predicted to help in the end. False when the budget is spent.
bool GuidedWalk::try_path() {
  const std::size_t most =
      std::clamp<std::size_t>(kLookedThrough / (1 + search_.problem().workload.operation_count()), 1, kMostLooks);
  for (std::size_t looks = 0; looks < most; ++looks) {
    if (paths_.empty()) {
      paths_ = table_.best_to_look_at(window());
      std::ranges::reverse(paths_);
    }
    if (paths_.empty()) break;
    const std::uint32_t entry = paths_.back();
    paths_.pop_back();
    if (!table_.is_open(entry) || table_.was_looked_at(entry)) continue;
    table_.look_at(entry);
    Path path = path_from(entry);
    if (path.changed.size() < 2 || path.advantage >= 0) continue;
    const std::optional<Score> found = evaluate(path.row);
    if (!found) return false;
    learn(Move::path, *found < score_);
    if (*found < score_) keep(std::move(path.row), *found, path.changed);
    return true;
  }
  learn(Move::path, false);
  return try_mutation(any_unit());
}

GuidedWalk::Path GuidedWalk::path_from(std::uint32_t entry) {
  Path path{.row = current_, .changed = {table_.at(entry).unit}, .advantage = seconds_of(table_.advantage(entry))};
  units_.set(path.row, table_.at(entry).unit, table_.at(entry).option);
  for (std::size_t step = 0; step < kLongestPath && lengthen(path); ++step) continue;
  return path;
}

/// Units whose advantages may be others after some changes: all in the kernels around, or of large kernels those next
/// to the changes, since looking at a decision takes the longer the larger the kernel.
std::vector<std::uint32_t> GuidedWalk::followers(std::span<const std::uint32_t> changed) {
  std::vector<std::uint32_t> around = units_around(units_, scout_, changed);
  if (around.size() <= kMostFollowers) return around;
  std::vector<std::uint32_t> nearest;
  for (const std::uint32_t unit : changed)
    for (const std::uint32_t near : units_.neighbourhood(unit, kKickSteps, kMostFollowers / changed.size()))
      for (const std::uint32_t each : units_.about(units_.at(near).operation)) nearest.push_back(each);
  return distinct(std::move(nearest));
}

/// By the change near it that is predicted to help most; false where none is.
bool GuidedWalk::lengthen(Path& path) {
  scout_.set(path.row);
  const AdvantageModel::Judged judged = model_.judge(scout_, followers(path.changed));
  double least = kClearAdvantage;
  std::optional<DecisionChange> best;
  for (std::size_t i = 0; i < judged.candidates.size(); ++i) {
    const auto basis = std::span(judged.bases).subspan(i * model_.basis_size(), model_.basis_size());
    const double advantage = model_.predict(basis, AdvantageOutput::advantage);
    if (advantage >= least || std::ranges::find(path.changed, judged.candidates[i].unit) != path.changed.end())
      continue;
    least = advantage;
    best = judged.candidates[i];
  }
  if (!best) return false;
  units_.set(path.row, best->unit, best->option);
  path.changed.push_back(best->unit);
  path.advantage += seconds_of(least);
  return true;
}

double GuidedWalk::seconds_of(double advantage) const {
  return std::copysign(std::expm1(std::abs(advantage)), advantage) * features_.unit();
}

bool GuidedWalk::try_mutation(std::uint32_t unit) {
  Decisions row = current_;
  const std::vector<std::uint32_t> changed = mutate(unit, row);
  const std::optional<Score> found = evaluate(row);
  if (!found) return false;
  learn(Move::blind, *found < score_);
  if (*found <= score_) keep(std::move(row), *found, changed);
  return true;
}

/// From nothing decided, round by round whatever is predicted to help: one evaluation, and a start that may lie beyond
/// what single changes of the given one lead to. The better one is gone on with.
void GuidedWalk::decide_anew() {
  Decisions row = current_;
  for (std::uint32_t unit = 0; unit < units_.single_count(); ++unit) units_.set(row, unit, 0);
  for (std::size_t round = 0; round < kMostRounds && !search_.spent(); ++round) {  // a round of a large graph takes long
    table_.set(row);
    const std::vector<std::uint32_t> flips = clear_flips();
    if (flips.empty()) break;
    for (const std::uint32_t entry : flips) units_.set(row, table_.at(entry).unit, table_.at(entry).option);
  }
  if (const std::optional<Score> found = evaluate(row); found && *found < score_) {
    current_ = std::move(row);
    score_ = *found;
  }
  table_.set(current_);
}

/// Changes that are predicted to help and do not meet.
std::vector<std::uint32_t> GuidedWalk::clear_flips() const {
  std::vector<std::uint32_t> clear = table_.best(AdvantageOutput::advantage, table_.size());
  std::erase_if(clear, [&](std::uint32_t entry) { return table_.advantage(entry) > kClearAdvantage; });
  return table_.apart(clear);
}

/// All changes that are predicted to help and do not meet, at once. Whether anything changed.
bool GuidedWalk::flip_many() {
  if (search_.evaluations() < next_flips_ || !std::exchange(is_fresh_, false)) return false;
  const std::vector<std::uint32_t> clear = clear_flips();
  if (clear.size() < std::max(kFewFlips, units_.single_count() / kFewOfUnits)) return false;
  checks_ = kMostChecks;
  const Score before = score_;
  flip(clear);
  const bool helped = score_ < before;
  patience_ = helped ? kFirstPatience : 2 * patience_;
  next_flips_ = helped ? 0 : search_.evaluations() + patience_;
  return helped && !search_.spent();
}

/// What is predicted of all together, in seconds or whatever the objective counts.
double GuidedWalk::predicted_gain(std::span<const std::uint32_t> entries) const {
  double sum = 0;
  for (const std::uint32_t entry : entries) sum -= std::min(0.0, seconds_of(table_.advantage(entry)));
  return sum;
}

std::optional<Score> GuidedWalk::check(std::span<const std::uint32_t> entries, Decisions& row) {
  for (const std::uint32_t entry : entries) units_.set(row, table_.at(entry).unit, table_.at(entry).option);
  return evaluate(row);
}

/// Changes all of them where that comes near what was predicted; else one half after the other, and all of them again
/// where that was better. False when the budget is spent.
bool GuidedWalk::flip(std::span<const std::uint32_t> entries) {
  Decisions row = current_;
  const double promised = predicted_gain(entries);
  const std::optional<Score> found = check(entries, row);
  if (!found) return false;
  if (entries.size() == 1) table_.note(entries.front(), found->value - score_.value, learning());
  std::vector<std::uint32_t> changed;
  for (const std::uint32_t entry : entries) changed.push_back(table_.at(entry).unit);
  const bool holds = score_.value - found->value >= kShareToHold * promised;
  if (entries.size() > 1 && !holds && --checks_ > 0) {
    const std::size_t half = entries.size() / 2;
    const std::vector<std::uint32_t> first(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(half)),
        second(entries.begin() + static_cast<std::ptrdiff_t>(half), entries.end());
    const bool goes_on = flip(first) && flip(second);
    if (*found < score_) keep(std::move(row), *found, changed);
    return goes_on;
  }
  if (*found < score_) keep(std::move(row), *found, changed);
  return true;
}

/// Does wherever it looks the same what has just made things better; the less often the less that helps. False when the
/// budget is spent.
bool GuidedWalk::repeat_elsewhere() {
  const std::vector<DecisionChange> changes = std::exchange(gained_, {});
  if (changes.empty() || rng_.uniform() >= repeats_.rate() / kFirstSuccess) return true;
  std::vector<std::vector<DecisionChange>> places = alike_.elsewhere(changes);
  std::erase_if(places, [&](const std::vector<DecisionChange>& place) {
    return std::ranges::all_of(
        place, [&](const DecisionChange& change) { return units_.has_option(current_, change.unit, change.option); });
  });
  if (places.empty()) return true;
  const Score before = score_;
  const bool goes_on = repeat(places, kRepeatHalvings);
  repeats_.add(score_ < before);
  gained_.clear();
  return goes_on;
}

/// At all places at once, or where that does not help at one half of them and then the other.
bool GuidedWalk::repeat(std::span<const std::vector<DecisionChange>> places, int halvings) {
  Decisions row = current_;
  std::vector<std::uint32_t> changed;
  for (const std::vector<DecisionChange>& place : places)
    for (const DecisionChange& change : place) {
      units_.set(row, change.unit, change.option);
      changed.push_back(change.unit);
    }
  const std::optional<Score> found = evaluate(row);
  if (!found) return false;
  if (*found < score_) {
    keep(std::move(row), *found, changed);
    return true;
  }
  if (halvings == 0 || places.size() == 1) return true;
  const std::size_t half = places.size() / 2;
  return repeat(places.first(half), halvings - 1) && repeat(places.subspan(half), halvings - 1);
}

/// Which single units are not as they were, of those that were changed.
std::vector<DecisionChange> GuidedWalk::single_changes(std::span<const float> row,
                                                       std::span<const std::uint32_t> changed) const {
  std::vector<std::uint32_t> singles;
  for (const std::uint32_t unit : changed) {
    if (unit < units_.single_count()) singles.push_back(unit);
    else
      for (const std::uint32_t each : units_.about(units_.at(unit).operation))
        if (each < units_.single_count()) singles.push_back(each);
  }
  std::vector<DecisionChange> changes;
  for (const std::uint32_t unit : distinct(std::move(singles)))
    if (const std::uint32_t option = units_.option(row, unit); option != units_.option(current_, unit))
      changes.push_back({unit, option});
  return changes;
}

void GuidedWalk::keep(Decisions row, const Score& score, std::span<const std::uint32_t> changed) {
  gained_ = score < score_ ? single_changes(row, changed) : std::vector<DecisionChange>();
  current_ = std::move(row);
  score_ = score;
  pool_.clear();
  top_.clear();
  paths_.clear();
  drawn_ = 0;
  is_fresh_ = true;
  if (changed.size() * 8 > units_.size()) table_.set(current_);
  else table_.move(current_, changed);
}

}  // namespace hone
