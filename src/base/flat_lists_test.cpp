#include "base/flat_lists.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

TEST(FlatListsTest, HasTheListsItWasMadeFrom) {
  const std::vector<std::vector<int>> lists = {{1, 2}, {}, {3}};
  const FlatLists<int> flat(lists);
  ASSERT_EQ(flat.size(), 3U);
  for (std::size_t i = 0; i < lists.size(); ++i) EXPECT_TRUE(std::ranges::equal(flat[i], lists[i])) << i;
  EXPECT_EQ(flat.begin_of(2), 2U);
  EXPECT_TRUE(std::ranges::equal(flat.items(), std::vector{1, 2, 3}));
}

TEST(FlatListsTest, GrowsListByList) {
  FlatLists<int> flat;
  EXPECT_EQ(flat.size(), 0U);
  flat.add(7);
  flat.end_list();
  flat.end_list();
  EXPECT_EQ(flat.size(), 2U);
  EXPECT_EQ(flat[0].size(), 1U);
  EXPECT_TRUE(flat[1].empty());
}

}  // namespace
}  // namespace hone
