#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plan/problem/objective.h"

namespace hone {

/// What a search is in the comparison for.
enum class ContenderRole : std::uint8_t {
  classical,       // nothing in it was learned
  usual,           // likewise, and what `hone plan` does where nothing is said
  regal,           // the genetic algorithm guided as published
  learned,         // ours
  without_policy,  // the same search without a policy, which counts as classical
  untrained,       // the same with a policy that was drawn at random
  zero_step,       // the same with the policy that learning starts from
};
std::string_view name_of(ContenderRole role);

/// A search that takes part.
struct PlanningContender {
  std::string optimizer;
  ContenderRole role = ContenderRole::classical;

  /// Whether it is one of those that learning has to beat.
  bool is_rival() const {
    return role == ContenderRole::classical || role == ContenderRole::usual || role == ContenderRole::without_policy;
  }
};

/// What is wanted of a graph, and on which machine.
struct PlanningSetting {
  Objective objective = Objective::peak_bytes;
  std::string machine;

  friend bool operator==(const PlanningSetting&, const PlanningSetting&) = default;
};

/// What is decided for an objective, and who takes part.
struct PlanningField {
  Objective objective = Objective::peak_bytes;
  std::string tasks;
  std::vector<PlanningContender> contenders;
};

/// Where it is measured what a guided genetic algorithm gains over the plain one, and how long that one searches to
/// show what can be reached at all.
struct PlanningHeadroom {
  PlanningSetting setting;
  std::uint64_t evaluations = 0;
};

/// Who is compared with whom, on which machines, and what each may spend.
struct PlanningContest {
  std::size_t least_operations = 0, most_operations = 0;  // graphs of other sizes are left out
  std::size_t large_operations = 0;                       // graphs of more are also judged apart
  std::vector<std::uint64_t> budgets;                     // evaluations, the least first
  std::size_t seeds = 0;
  std::vector<PlanningSetting> settings;
  std::string standard;  // the plain genetic algorithm
  PlanningHeadroom headroom;
  std::vector<PlanningField> fields;

  const PlanningField& field(const Objective& objective) const;
  const std::vector<PlanningContender>& contenders(const Objective& objective) const {
    return field(objective).contenders;
  }
  std::size_t last_budget() const { return budgets.size() - 1; }
  /// A run that only proves that all of it works.
  PlanningContest shortened() const;
};

/// Throws InputError (usage) for keys it does not know and optimisers that do not exist; `source` names the file.
PlanningContest parse_contest(const nlohmann::json& file, std::string_view source);

/// That of bench/planning/contest.json.
PlanningContest planning_contest();

}  // namespace hone
