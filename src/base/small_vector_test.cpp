#include "base/small_vector.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace hone {
namespace {

TEST(SmallVectorTest, KeepsItsElementsWhenItOutgrowsItsPlace) {
  SmallVector<int, 2> list{1, 2};
  const int* const in_place = list.data();
  list.push_back(3);
  EXPECT_NE(list.data(), in_place);
  EXPECT_EQ(list, (SmallVector<int, 2>{1, 2, 3}));
}

TEST(SmallVectorTest, CopiesAndMovesBetweenPlaceAndHeap) {
  SmallVector<int, 2> small{1}, large{1, 2, 3, 4};
  SmallVector<int, 2> copy = large;
  copy[0] = 9;
  EXPECT_EQ(large[0], 1);
  large = small;
  EXPECT_EQ(large, (SmallVector<int, 2>{1}));
  small = std::move(copy);
  EXPECT_EQ(small, (SmallVector<int, 2>{9, 2, 3, 4}));
  SmallVector<int, 2>& self = small;
  small = self;
  EXPECT_EQ(small.size(), 4u);
}

TEST(SmallVectorTest, BehavesLikeAVectorUnderRandomEdits) {
  Rng rng(2);
  SmallVector<std::uint64_t, 3> list;
  std::vector<std::uint64_t> plain;
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t word = rng.next();
    const std::size_t at = plain.empty() ? 0 : word % plain.size();
    const auto offset = static_cast<std::ptrdiff_t>(at);
    switch (rng.below(plain.size() > 20 ? 7 : 4)) {
      case 0:
        list.push_back(word);
        plain.push_back(word);
        break;
      case 1:
        list.insert(at, word);
        plain.insert(plain.begin() + offset, word);
        break;
      case 2:
        list.resize(at + 2, word);
        plain.resize(at + 2, word);
        break;
      case 3:
      case 4:
        if (plain.empty()) break;
        list.erase(at);
        plain.erase(plain.begin() + offset);
        break;
      case 5:
        list.pop_back();
        plain.pop_back();
        break;
      default: list.clear(); plain.clear();
    }
    ASSERT_TRUE(std::equal(list.begin(), list.end(), plain.begin(), plain.end()));
  }
}

}  // namespace
}  // namespace hone
