#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plan/problem/objective.h"

namespace hone {

/// What a method is in the comparison of placements for.
enum class PlacerRole : std::uint8_t {
  expert,      // what an engineer would do by hand
  classical,   // nothing in it was learned
  random,      // what every method must beat
  hdp,         // a prior learned placer: groups and their devices
  placeto,     // another: node by node
  one,         // GO, trained on the graph alone
  zero_shot,   // GO, trained on other families
  fine_tuned,  // the same after a few steps on the graph
  go_search,   // a search that begins with GO's plan, by which GO is judged as a start
  go_local,    // another one
  unlearned,   // GO with a policy that has learned nothing, to tell by what learning brings
};

/// A method of the table.
struct PlacementContender {
  std::string column;  // contenders of one column are settings of one method, of which the best counts
  std::string optimizer;
  PlacerRole role = PlacerRole::classical;
  std::uint64_t evaluations = 0;
  std::size_t seeds = 1;

  /// Whether it learns on the graph itself, which is not asked for on graphs from files.
  bool learns_here() const { return role == PlacerRole::one || role == PlacerRole::fine_tuned; }
};

/// A graph of the table.
struct PlacementGraph {
  std::string name, family, machine, model;
  std::vector<std::string> layers;  // see `layer_split`; none: nobody has split it by hand
};

/// Who is compared with whom on what.
struct PlacementContest {
  std::string tasks;
  Objective objective = Objective::seconds_in_memory;
  std::string module_machine;  // for graphs from files
  std::vector<PlacementGraph> graphs;
  std::vector<PlacementContender> contenders;

  /// A run that only proves that all of it works.
  PlacementContest shortened() const;
};

/// Throws InputError (usage) for keys it does not know; `source` names the file.
PlacementContest parse_placement_contest(const nlohmann::json& file, std::string_view source);

/// That of bench/planning/go-placement.json.
PlacementContest placement_contest();

}  // namespace hone
