#include "zoo/dataset.h"

#include <unordered_set>

#include "base/error.h"
#include "base/word_reader.h"
#include "zoo/settings.h"

namespace hone::zoo {
namespace {

constexpr std::string_view kPrefix = "synthetic:";

std::vector<Parameter> dataset_parameters() {
  return {
      {.name = "family",
       .fallback = std::string("mixed"),
       .meaning = "how graphs are wired",
       .choices = {"er", "ba", "ws", "sbm", "layered", "mixed"}},
      {.name = "nodes", .fallback = std::string("100-500"), .meaning = "nodes of a graph, a number or a range"},
      {.name = "count", .fallback = std::int64_t{100}, .meaning = "how many graphs"},
      {.name = "seed", .fallback = std::int64_t{0}, .meaning = "seed of all randomness", .low = 0, .high = INT64_MAX},
      {.name = "filter",
       .fallback = std::string("none"),
       .meaning = "which graphs are kept: all, or those with room for improvement",
       .choices = {"none", "room"}},
  };
}

std::size_t node_count(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000;
  const std::int64_t nodes = parse_integer(text, "nodes", "a number or a range such as 100-500");
  if (nodes < 2 || nodes > kMost) fail_usage("nodes={}: graphs have between 2 and {} nodes", nodes, kMost);
  return static_cast<std::size_t>(nodes);
}

}  // namespace

std::string_view name_of(Split split) {
  static constexpr std::string_view kNames[] = {"train", "valid", "test"};
  return kNames[static_cast<std::size_t>(split)];
}

Split split_of(std::uint64_t topology_hash) {
  const std::uint64_t percent = mix(topology_hash, 100) % 100;
  return percent < 60 ? Split::train : percent < 80 ? Split::valid : Split::test;
}

bool is_dataset_recipe(std::string_view text) { return text.starts_with(kPrefix); }

DatasetRecipe parse_recipe(std::string_view text) {
  if (!is_dataset_recipe(text)) fail_usage("'{:.60}' is no dataset, expected synthetic:family=...,nodes=...", text);
  Settings settings(dataset_parameters());
  settings.parse(text.substr(kPrefix.size()));
  DatasetRecipe recipe;
  const std::string_view nodes = settings.word("nodes");
  const std::size_t dash = nodes.find('-');
  recipe.min_nodes = node_count(nodes.substr(0, dash));
  recipe.max_nodes = dash == std::string_view::npos ? recipe.min_nodes : node_count(nodes.substr(dash + 1));
  if (recipe.max_nodes < recipe.min_nodes) fail_usage("nodes={}: the range is empty", nodes);
  recipe.count = static_cast<std::size_t>(settings.integer("count"));
  recipe.seed = static_cast<std::uint64_t>(settings.integer("seed"));
  recipe.keep = settings.word("filter") == "room" ? Keep::room : Keep::all;
  for (std::size_t i = 0; i < kGraphFamilies; ++i) {
    const auto family = static_cast<GraphFamily>(i);
    if (settings.word("family") == "mixed" || settings.word("family") == name_of(family))
      recipe.families.push_back(family);
  }
  return recipe;
}

Dataset::Dataset(const DatasetRecipe& recipe, const Filter& keep) : recipe_(recipe) {
  HONE_CHECK(!recipe.families.empty(), "a recipe names a family");
  HONE_CHECK(recipe.keep == Keep::all || keep, "a filter must tell which graphs have room");
  std::unordered_set<std::uint64_t> seen;
  const std::uint64_t most = 100 * (std::uint64_t{recipe.count} + 1);
  for (std::uint64_t number = 0; items_.size() < recipe.count; ++number) {
    if (number == most) fail("the dataset keeps only {} of {} graphs drawn", items_.size(), most);
    const Workload graph = draw(number);
    const std::uint64_t topology = topology_hash(graph);
    if (seen.contains(topology) || (keep && !keep(graph))) continue;
    seen.insert(topology);
    items_.push_back({.draw = number, .topology = topology, .split = split_of(topology)});
  }
}

std::vector<Dataset::Item> Dataset::items_of(Split split) const {
  std::vector<Item> found;
  for (const Item& item : items_)
    if (item.split == split) found.push_back(item);
  return found;
}

Workload Dataset::draw(std::uint64_t number) const {
  Rng rng = Rng(recipe_.seed).split(number);
  const GraphFamily family = recipe_.families[number % recipe_.families.size()];
  const std::size_t nodes = recipe_.min_nodes + rng.below(recipe_.max_nodes - recipe_.min_nodes + 1);
  return synthetic_graph(family, nodes, rng);
}

}  // namespace hone::zoo
