#include "plan/fuse/group_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace hone {
namespace {

/// Items move about at random; a plain list says where they must be. Enough of them go to the same gap to fill it.
TEST(GroupOrder, KeepsPlacesThroughMoves) {
  constexpr std::uint32_t kItems = 40;
  Rng rng(3);
  std::vector<std::uint32_t> expected(kItems);
  std::iota(expected.begin(), expected.end(), 0);
  GroupOrder order;
  order.reset(expected);
  for (std::size_t round = 0; round < 4000; ++round) {
    const std::uint32_t place = rng.below(3) == 0 ? static_cast<std::uint32_t>(rng.below(kItems)) : 7;
    std::vector<std::uint32_t> moved;
    for (const std::uint32_t item : expected)
      if (item != place && rng.below(8) == 0) moved.push_back(item);
    std::erase_if(expected, [&](std::uint32_t item) { return std::ranges::find(moved, item) != moved.end(); });
    const auto at = std::ranges::find(expected, place);
    if (rng.below(2) == 0) {
      order.move_behind(place, moved);
      expected.insert(at + 1, moved.begin(), moved.end());
    } else {
      order.move_before(place, moved);
      expected.insert(at, moved.begin(), moved.end());
    }
    for (std::size_t i = 1; i < expected.size(); ++i)
      ASSERT_TRUE(order.is_before(expected[i - 1], expected[i])) << "round " << round;
  }
}

}  // namespace
}  // namespace hone
