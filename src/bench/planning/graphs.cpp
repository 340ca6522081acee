#include "bench/planning/graphs.h"

#include "base/text_file.h"
#include "bench/graph_set.h"
#include "bench/problem_files.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "zoo/dataset.h"
#include "zoo/registry.h"

namespace hone {
namespace {

/// Adds graphs of families to those of a role.
class PlanningLoader {
 public:
  explicit PlanningLoader(const std::filesystem::path& folder) {
    if (!folder.empty()) files_ = module_files(folder);
  }

  void add(const PlanningFamily& family) {
    for (const std::string& graph : family.graphs)
      if (is_zoo_spec(graph) || zoo::is_dataset_recipe(graph)) {
        for (NamedGraph& made : load_graphs({graph})) add(family, std::move(made));
      } else {
        add_modules(family, graph);
      }
  }

  PlanningGraphs take() && { return std::move(loaded_); }

 private:
  GraphLabel& add(const PlanningFamily& family, NamedGraph graph) {
    const std::size_t operations = graph.workload.operation_count();
    loaded_.graphs.push_back(
        {{std::move(graph.name), family.name, family.origin, operations}, std::move(graph.workload)});
    return loaded_.graphs.back().label;
  }

  void add_modules(const PlanningFamily& family, const std::string& pattern) {
    bool is_missing = true;
    for (const std::filesystem::path& path : files_) {
      if (!is_named(module_name(path), pattern)) continue;
      is_missing = false;
      add(family, {module_name(path), hlo::to_workload(hlo::read_loaded(read_text_file(path), path.string()))})
          .is_module = true;
    }
    if (is_missing) loaded_.missing.push_back(pattern);
  }

  std::vector<std::filesystem::path> files_;
  PlanningGraphs loaded_;
};

}  // namespace

std::string module_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.find(".hlo"));
}

bool is_named(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

PlanningGraphs load_planning_graphs(FamilyRole role, const std::filesystem::path& folder) {
  PlanningLoader loader(folder);
  for (const PlanningFamily& family : planning_families())
    if (family.role == role) loader.add(family);
  return std::move(loader).take();
}

}  // namespace hone
