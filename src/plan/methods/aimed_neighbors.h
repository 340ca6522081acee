#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parameters.h"
#include "plan/methods/neighborhood.h"
#include "plan/search/blame_source.h"

namespace hone {

/// How changes are aimed at the operations that are to blame.
struct Aim {
  double focus = 0.9;         // share of changes to operations that are to blame
  std::int64_t refresh = 40;  // evaluations after which those to blame are found anew
  std::string by = "cost";    // who says who is to blame: the evaluator, or a BlameSource

  /// The same for all methods that aim.
  void add_to(Parameters& list) {
    list.add("focus", &focus, {0, 1}, "share of changes to operations that are to blame for the cost")
        .add("refresh", &refresh, {1, 1e9}, "evaluations after which those to blame are found anew")
        .add("aim", &by, "who says which operations are to blame: `cost`, or `advantage`, a policy");
  }
};

/// Batches of neighbours of the decisions that a search is at.
class AimedNeighbors {
 public:
  /// That differ in any decision, or only in those of one field of a plan.
  AimedNeighbors(const Search& search, const Aim& aim, std::optional<PlanField> only = {});

  /// False when there is nothing to decide.
  bool exist() const { return neighborhood_.has_moves(); }

  /// Draws so many neighbours of `center` and has them evaluated; fewer costs when the budget is spent.
  std::span<const Cost> evaluate(Search& search, std::span<const float> center, std::int64_t count);

  /// Of the last batch.
  std::size_t count() const { return changes_.size(); }
  std::span<const float> row(std::size_t i) const {
    return std::span(rows_).subspan(i * rows_.size() / count(), rows_.size() / count());
  }
  /// Takes note of whether neighbour `i` is better than what it is near to.
  void learn(std::size_t i, bool was_better) { neighborhood_.learn(changes_[i], was_better); }

  /// Goes so many changes away.
  void perturb(std::span<float> row, std::int64_t changes) {
    for (; changes > 0; --changes) neighborhood_.change(row, rng_);
  }

  /// The randomness of the whole method.
  Rng& rng() { return rng_; }

 private:
  void find_kernels(const Search& search, std::span<const float> center);
  void move_kernels(std::span<const float> center, std::span<float> row) const;

  Neighborhood neighborhood_;
  Aim aim_;
  std::unique_ptr<BlameSource> source_;  // none: the evaluator
  Rng rng_;
  std::int64_t until_refresh_ = 0;
  Decisions rows_;
  std::vector<Neighborhood::Change> changes_;
  /// Sites that decide the same about operations of one kernel, where kernels are decided: a kernel has one device and
  /// one priority, so that a change to one of its operations is a change to all.
  std::vector<std::vector<std::uint32_t>> alike_;
  std::vector<std::uint32_t> alike_of_;  // by site: which of these; past the end where it is in none
};

}  // namespace hone
