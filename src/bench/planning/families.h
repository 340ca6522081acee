#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// What the graphs of a family are for: to learn from, to choose by, or to judge by.
enum class FamilyRole : std::uint8_t { train, validation, test };
std::string_view name_of(FamilyRole role);

/// Whether somebody uses such graphs or a generator has made them up.
enum class GraphOrigin : std::uint8_t { real, synthetic };
std::string_view name_of(GraphOrigin origin);

/// Graphs of one architecture, whoever has exported them. A family has one role, so that nothing that is judged by was
/// seen before.
struct PlanningFamily {
  std::string name;
  FamilyRole role = FamilyRole::train;
  GraphOrigin origin = GraphOrigin::real;
  std::vector<std::string> models;   // of the zoo that are of this architecture
  std::vector<std::string> modules;  // what names of XLA modules of this architecture begin with
  /// Those in use: `zoo:...`, `synthetic:...,split=...`, or the name of a module without `.hlo` and what follows it; a
  /// star at the end stands for anything.
  std::vector<std::string> graphs;
};

/// Throws InputError (usage) for keys it does not know; `source` names the file in messages.
std::vector<PlanningFamily> parse_families(const nlohmann::json& file, std::string_view source);

/// Those of bench/planning/families.json.
std::vector<PlanningFamily> planning_families();

}  // namespace hone
