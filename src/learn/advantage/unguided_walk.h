#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/parameters.h"
#include "learn/advantage/decision_units.h"
#include "plan/search/search.h"

namespace hone {

/// What can be chosen about a search by advantages.
struct AdvantageParameters {
  std::string policy;
  std::string rank = "signed";
  double alpha = 5;
  std::int64_t steps = 1;
  double spread = 0.3;
  std::string flips = "many", learning = "online";

  Parameters list();
};

/// Random search as published: a decision drawn at random and its neighbours are decided anew at random, and what is no
/// worse is kept.
class UnguidedWalk {
 public:
  UnguidedWalk(Search& search, const DecisionUnits& units, const AdvantageParameters& parameters);

  /// Until the budget is spent.
  void run();

 protected:
  /// Evaluates the start; false when the budget is spent.
  bool begin();
  /// Decides a unit anew, and some within so many steps of it; says which changed.
  std::vector<std::uint32_t> mutate(std::uint32_t unit, Decisions& row);
  /// What these decisions come to; nothing when the budget is spent.
  std::optional<Score> evaluate(const Decisions& row);
  std::uint32_t any_unit() { return static_cast<std::uint32_t>(rng_.below(units_.single_count())); }

  Search& search_;
  const DecisionUnits& units_;
  const AdvantageParameters& parameters_;
  Rng rng_;
  Decisions current_;
  Score score_;
};

}  // namespace hone
