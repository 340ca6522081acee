#include "plan/methods/room.h"

#include <gtest/gtest.h>

#include "zoo/dataset.h"

namespace hone {
namespace {

constexpr RoomTest kQuick{.small_evaluations = 20, .large_evaluations = 1000};

TEST(Room, AChainLeavesNothingToFind) {
  WorkloadBuilder builder("chain");
  std::vector<BufferId> read;
  for (int i = 0; i < 20; ++i) {
    const BufferId output = builder.add_buffer({.name = "out", .bytes = 100});
    builder.add_operation({.name = "step", .flops = 1e9, .bytes = 200}, read, std::span(&output, 1));
    read = {output};
  }
  EXPECT_FALSE(has_room(std::move(builder).build(), kQuick));
}

TEST(Room, ADatasetKeepsGraphsThatHaveIt) {
  const zoo::DatasetRecipe recipe = zoo::parse_recipe("synthetic:family=sbm,nodes=60,count=2,seed=1,filter=room");
  EXPECT_EQ(recipe.keep, zoo::Keep::room);
  const zoo::Dataset dataset(recipe, [](const Workload& graph) { return has_room(graph, kQuick); });
  for (const zoo::Dataset::Item& item : dataset.items()) EXPECT_TRUE(has_room(dataset.graph(item), kQuick));
}

}  // namespace
}  // namespace hone
