#include <gtest/gtest.h>

#include <set>

#include "graph/ir/structural_hash.h"
#include "zoo/registry.h"

namespace hone {
namespace {

TEST(DrawnNetTest, EverySeedOfEveryTrunkIsANetworkOfItsOwn) {
  std::set<std::uint64_t> networks;
  constexpr int kSeeds = 80;
  for (const char* trunk : {"any", "pixels", "steps", "layers"})
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const Model model = build_zoo(fmt::format("drawn-net:trunk={},blocks={},layers=3,weights=zero", trunk, seed));
      EXPECT_GT(model.graph.node_count(), 3u);
      networks.insert(structural_hash(model.graph));
    }
  EXPECT_GT(networks.size(), 4u * kSeeds - 16);  // small ones may meet
}

}  // namespace
}  // namespace hone
