#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/search/search.h"

namespace hone {

/// Small changes to decisions: the moves that local search and annealing make. They follow the graph (operations that
/// feed one another move together), prefer operations that are to blame for what the decisions cost, and learn which
/// kinds of change make this problem better. Sites that the task cannot assign to an operation are changed one by one.
class Neighborhood {
 public:
  enum class Change : std::uint8_t {
    choose,    // one site takes another option, often that of a neighbour in the graph
    rank,      // one site takes another key: anywhere, near its old one, or next to another operation's
    gather,    // connected operations take the same option
    shift,     // connected operations become more, or less, urgent together
    exchange,  // two operations exchange what is decided about them
  };
  static constexpr std::size_t kChanges = 5;

  /// Of all sites, or only of those that decide one field of a plan.
  Neighborhood(const Problem& problem, const Task& task, std::optional<PlanField> only = {});

  /// False when there is nothing to decide.
  bool has_moves() const { return !movable_.empty(); }

  /// From now on prefers these operations, each by its share, in `focus` of all changes.
  void aim(std::span<const Blame> blames, double focus);

  /// Changes decisions a little, and says how.
  Change change(std::span<float> row, Rng& rng) const;

  /// One change, half the time another, and so on; says how the first was made.
  Change change_some(std::span<float> row, Rng& rng) const;

  /// Takes note of what a change did; kinds that made things better are tried more often.
  void learn(Change change, bool was_better);

 private:
  /// What is decided together: all about one operation, or a site that belongs to none.
  struct Subject {
    std::vector<std::uint32_t> choices;    // sites with two options or more
    std::vector<std::uint32_t> keys;       // sites with a key
    std::vector<std::uint32_t> neighbors;  // subjects of operations that feed or read this one
  };

  void add_subject(std::span<const std::uint32_t> sites);
  void connect(const Workload& workload);
  std::uint32_t pick(Rng& rng) const;
  std::uint32_t pick_from(const std::vector<std::uint32_t>& able, Rng& rng) const;
  std::vector<std::uint32_t> pick_cluster(std::uint32_t first, Rng& rng) const;
  std::uint32_t other_option(std::uint32_t site, std::span<const float> row, Rng& rng) const;

  void choose(std::span<float> row, Rng& rng) const;
  void rank(std::span<float> row, Rng& rng) const;
  void gather(std::span<float> row, Rng& rng) const;
  void shift(std::span<float> row, Rng& rng) const;
  void exchange(std::span<float> row, Rng& rng) const;

  const std::vector<Site>& sites_;
  std::optional<PlanField> only_;
  std::vector<Subject> subjects_;
  std::vector<std::uint32_t> movable_, choosers_, keyed_;  // subjects with anything, with choices, with keys
  std::vector<std::uint32_t> blamed_;                      // subjects
  std::vector<double> blame_until_;                        // of blamed_, added up
  double focus_ = 0;
  std::array<double, kChanges> success_{};  // by change: how often it made things better lately
};

}  // namespace hone
