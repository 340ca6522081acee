#include "bench/graph_set.h"

#include <optional>

#include "base/error.h"
#include "plan/methods/room.h"
#include "plan/problem/lower.h"
#include "zoo/dataset.h"
#include "zoo/registry.h"

namespace hone {
namespace {

zoo::Split parse_split(std::string_view name) {
  for (const zoo::Split split : {zoo::Split::train, zoo::Split::valid, zoo::Split::test})
    if (zoo::name_of(split) == name) return split;
  fail_usage("'{}' is no split; there are train, valid and test", name);
}

std::vector<NamedGraph> load_split(const std::string& spec) {
  constexpr std::string_view kSplit = ",split=";
  const std::size_t at = spec.rfind(kSplit);
  if (at == std::string::npos) fail_usage("'{}' names no split of the dataset", spec);
  const zoo::Split split = parse_split(std::string_view(spec).substr(at + kSplit.size()));
  const zoo::DatasetRecipe recipe = zoo::parse_recipe(spec.substr(0, at));
  zoo::Dataset::Filter filter;
  if (recipe.keep == zoo::Keep::room) filter = [](const Workload& graph) { return has_room(graph, RoomTest()); };
  const zoo::Dataset dataset(recipe, filter);
  std::vector<NamedGraph> graphs;
  for (const zoo::Dataset::Item& item : dataset.items_of(split)) {
    graphs.push_back({.workload = dataset.graph(item)});
    graphs.back().name = fmt::format("{} #{}", graphs.back().workload.name, item.draw);
  }
  return graphs;
}

}  // namespace

std::vector<NamedGraph> load_graphs(const std::vector<std::string>& specs) {
  std::vector<NamedGraph> graphs;
  for (const std::string& spec : specs) {
    if (is_zoo_spec(spec)) {
      graphs.push_back({.name = spec.substr(4), .workload = lower(build_zoo(spec))});
      continue;
    }
    for (NamedGraph& graph : load_split(spec)) graphs.push_back(std::move(graph));
  }
  return graphs;
}

}  // namespace hone
