#pragma once

#include <array>
#include <vector>

#include "learn/advantage/alike_decisions.h"
#include "learn/advantage/candidate_table.h"
#include "learn/advantage/unguided_walk.h"

namespace hone {

/// The same where a policy says which decisions matter, and more: single changes by what they are predicted to bring,
/// many of them at once, and what was tried in vain is left alone until something near it changes. Nothing is kept that
/// is worse.
class GuidedWalk : private UnguidedWalk {
 public:
  GuidedWalk(Search& search, const DecisionUnits& units, const AdvantageParameters& parameters, const Policy& policy);

  void run();

 private:
  /// How a step comes about.
  enum class Move : std::uint8_t { single, path, kick, screened, blind };
  static constexpr std::size_t kMoves = 5;

  /// How often something helped, the more so the later.
  struct Record {
    double tries = 0, successes = 0;

    void add(bool was_better);
    double rate() const;
  };

  /// Several changes, one made possible by the other.
  struct Path {
    Decisions row;
    std::vector<std::uint32_t> changed;
    double advantage = 0;  // predicted, of all together
  };

  bool is_published() const { return parameters_.rank == "absolute"; }
  CandidateTable::Learning learning() const;
  std::size_t window() const;
  Move pick();
  void learn(Move move, bool was_better) { records_[static_cast<std::size_t>(move)].add(was_better); }
  bool try_important();
  bool step(Move move);
  bool try_single();
  bool try_path();
  bool try_kick();
  bool try_screened();
  bool try_repaired(Path path, Move move);
  Path path_from(std::uint32_t entry);
  std::vector<std::uint32_t> followers(std::span<const std::uint32_t> changed);
  bool lengthen(Path& path);
  bool try_mutation(std::uint32_t unit);
  void decide_anew();
  std::vector<std::uint32_t> clear_flips() const;
  bool flip_many();
  bool flip(std::span<const std::uint32_t> entries);
  std::optional<Score> check(std::span<const std::uint32_t> entries, Decisions& row);
  double seconds_of(double advantage) const;
  double predicted_gain(std::span<const std::uint32_t> entries) const;
  bool repeat_elsewhere();
  bool repeat(std::span<const std::vector<DecisionChange>> places, int halvings);
  std::vector<DecisionChange> single_changes(std::span<const float> row, std::span<const std::uint32_t> changed) const;
  void keep(Decisions row, const Score& score, std::span<const std::uint32_t> changed);

  AdvantageFeatures features_, scout_;  // the second looks at decisions that nobody has evaluated
  AdvantageModel model_;
  CandidateTable table_;
  std::vector<std::uint32_t> pool_, top_;  // the best entries by advantage and by magnitude, until something changes
  std::size_t drawn_ = 0;                  // of the pool
  std::vector<std::uint32_t> paths_;       // entries to look at, the next one last
  bool is_fresh_ = true;                   // something has changed since many were flipped at once
  std::int64_t checks_ = 0;                // that are left to find out which of many flips helped
  std::uint64_t patience_ = 16, next_flips_ = 0;  // evaluations, while many at once do not help
  std::array<Record, kMoves> records_;
  AlikeDecisions alike_;
  std::vector<DecisionChange> gained_;  // what made things better just now
  Record repeats_;                      // of such changes at other places
};

}  // namespace hone
