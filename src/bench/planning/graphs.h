#pragma once

#include <filesystem>

#include "bench/planning/families.h"
#include "plan/problem/workload.h"

namespace hone {

/// What tables say of a graph.
struct GraphLabel {
  std::string name, family;
  GraphOrigin origin = GraphOrigin::real;
  std::size_t operations = 0;
  bool is_module = false;  // as a compiler has written it, not built by the zoo or drawn
};

/// A graph that planning is compared on.
struct PlanningGraph {
  GraphLabel label;
  Workload workload;
};

/// The graphs of a role.
struct PlanningGraphs {
  std::vector<PlanningGraph> graphs;
  std::vector<std::string> missing;  // modules that are not below the folder
};

/// Graphs of the families of a role; modules are looked for below `folder`, and all are missing where it is empty.
PlanningGraphs load_planning_graphs(FamilyRole role, const std::filesystem::path& folder);

/// The name of a module's file up to `.hlo`.
std::string module_name(const std::filesystem::path& path);
/// Whether a name is what a pattern says, in which a star at the end stands for anything.
bool is_named(std::string_view name, std::string_view pattern);

}  // namespace hone
