#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/problem/workload.h"
#include "zoo/synthetic.h"

namespace hone::zoo {

/// Part of a dataset that is learned from, tuned on or judged by.
enum class Split : std::uint8_t { train, valid, test };
std::string_view name_of(Split split);

/// Where graphs of this topology belong: 60, 20 and 20 in a hundred, by the hash alone, so that no topology is ever in
/// two splits, whatever dataset it comes from.
Split split_of(std::uint64_t topology_hash);

/// Which graphs a dataset keeps: all, or those with room for improvement, which a filter must tell.
enum class Keep : std::uint8_t { all, room };

/// What a dataset is made of; the text `synthetic:family=er,nodes=100-500,count=1000,seed=1,filter=room` says all of
/// it.
struct DatasetRecipe {
  std::vector<GraphFamily> families;  // taken in turn
  std::size_t min_nodes = 100;
  std::size_t max_nodes = 500;
  std::size_t count = 100;
  std::uint64_t seed = 0;
  Keep keep = Keep::all;
};

/// True for `synthetic:...`.
bool is_dataset_recipe(std::string_view text);
/// `family` is one of er, ba, ws, sbm, layered and mixed. Throws InputError (usage) for what it does not understand.
DatasetRecipe parse_recipe(std::string_view text);

/// Random graphs with different topologies, made again from seed and recipe whenever one is asked for.
class Dataset {
 public:
  /// Decides whether a graph has room for improvement. REGAL keeps a graph when a genetic search with a large budget
  /// meets a memory limit that a small one misses, or is at least a fifth faster than it.
  using Filter = std::function<bool(const Workload&)>;

  struct Item {
    std::uint64_t draw = 0;  // which random draw it came from
    std::uint64_t topology = 0;
    Split split = Split::train;
  };

  /// Draws until `count` graphs are kept. Throws InputError when fewer than one draw in a hundred is.
  explicit Dataset(const DatasetRecipe& recipe, const Filter& keep = nullptr);

  const std::vector<Item>& items() const { return items_; }
  std::vector<Item> items_of(Split split) const;
  Workload graph(const Item& item) const { return draw(item.draw); }

 private:
  Workload draw(std::uint64_t number) const;

  DatasetRecipe recipe_;
  std::vector<Item> items_;
};

}  // namespace hone::zoo
