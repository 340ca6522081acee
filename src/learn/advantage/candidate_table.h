#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/advantage/advantage_model.h"

namespace hone {

/// Units about operations of the kernels that some units are about, these among them: all whose advantages may be
/// others when these are changed.
std::vector<std::uint32_t> units_around(const DecisionUnits& units, AdvantageFeatures& features,
                                        std::span<const std::uint32_t> changed);

/// What is thought of every single change of the decisions that a search is at: predicted until it is tried, observed
/// from then on, and predicted anew when something near it has changed. Advantages are signed logarithms in units of
/// the features' scale; less is better.
class CandidateTable {
 public:
  /// All must outlive it; the features are set by it.
  CandidateTable(const DecisionUnits& units, AdvantageModel& model, AdvantageFeatures& features);

  /// From now on it speaks about these decisions; everything is predicted anew.
  void set(std::span<const float> row);
  /// The same where only some units were changed: what is around them is predicted anew.
  void move(std::span<const float> row, std::span<const std::uint32_t> changed);

  std::size_t size() const { return candidates_.size(); }
  const DecisionChange& at(std::size_t entry) const { return candidates_[entry]; }
  /// Whether it would change anything.
  bool is_open(std::size_t entry) const { return states_[entry] != State::decided; }
  bool is_tried(std::size_t entry) const { return states_[entry] == State::tried; }
  /// Whether somebody has looked at what could follow it.
  bool was_looked_at(std::size_t entry) const { return looked_at_[entry] != 0; }
  void look_at(std::size_t entry) { looked_at_[entry] = 1; }
  double advantage(std::size_t entry) const { return advantages_[entry]; }
  /// The entry of an option of a unit.
  std::uint32_t entry(const DecisionChange& change) const { return first_[change.unit] + change.option; }
  double magnitude(std::size_t entry) const { return magnitudes_[entry]; }

  /// Takes note of what came of a candidate, in seconds or whatever the objective counts; `online` models learn of it.
  enum class Learning : std::uint8_t { offline, online };
  void note(std::size_t entry, double advantage, Learning learning);

  /// Entries that are open and not tried, those with the least advantage, or with the largest magnitude, first; at most
  /// `most`.
  std::vector<std::uint32_t> best(AdvantageOutput by, std::size_t most) const;
  /// Entries that are open and were not looked at, tried or not, those with the least advantage first; at most `most`.
  std::vector<std::uint32_t> best_to_look_at(std::size_t most) const;

  /// Of some entries in their order, those whose kernels meet none of an earlier one's: they can be changed together.
  std::vector<std::uint32_t> apart(std::span<const std::uint32_t> entries) const;

 private:
  enum class State : std::uint8_t { decided, open, tried };

  void judge(std::span<const std::uint32_t> units);
  void predict(std::size_t entry);
  void predict_all();
  std::vector<std::uint32_t> least(std::vector<std::uint32_t> entries, AdvantageOutput by, std::size_t most) const;

  const DecisionUnits& units_;
  AdvantageModel& model_;
  AdvantageFeatures& features_;
  std::vector<std::uint32_t> first_;        // by unit: its first entry
  std::vector<DecisionChange> candidates_;  // by entry: all options of all units
  std::vector<State> states_;               // likewise
  std::vector<std::uint8_t> looked_at_;
  std::vector<float> advantages_, magnitudes_;
  std::vector<float> bases_;
  std::size_t learned_ = 0;  // when all were predicted last
};

}  // namespace hone
