#include "plan/problem/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"

namespace hone {
namespace {

using Axes = std::vector<std::int64_t>;

std::int64_t product(const Axes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

/// Sizes of up to four axes, most of them small and many 1.
Axes random_sizes(Rng& rng) {
  Axes sizes(rng.below(5));
  for (std::int64_t& size : sizes) size = 1 + static_cast<std::int64_t>(rng.below(3));
  return sizes;
}

/// Which element of an array with axes of length `own` stands at every point of `sizes`, one step along axis i of the
/// points being one along axis i of the array, or none where that is 1 long.
Axes elements_read(const Axes& own, const Axes& sizes) {
  Axes elements;
  for (std::int64_t point = 0; point < product(sizes); ++point) {
    std::int64_t rest = point, element = 0, stride = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      element += own[i] == 1 ? 0 : rest % sizes[i] * stride;
      rest /= sizes[i];
      stride *= own[i];
    }
    elements.push_back(element);
  }
  return elements;
}

Access enumerated_access(const Axes& own, const Axes& sizes) {
  const Axes read = elements_read(own, sizes);
  const auto points = static_cast<std::int64_t>(read.size());
  bool same = product(own) == points, row = product(own) > 1;
  for (std::int64_t i = 0; i < points; ++i) {
    const std::int64_t element = read[static_cast<std::size_t>(i)];
    same = same && element == i;
    row = row && element == i * product(own) / points;
  }
  return same ? Access::same : row ? Access::row : Access::other;
}

TEST(LoopTest, AccessToAStretchedArrayIsWhatCountingSays) {
  Rng rng(1);
  std::vector<int> seen(3);
  for (int round = 0; round < 3000; ++round) {
    const Axes sizes = random_sizes(rng);
    Axes own = sizes;
    for (std::int64_t& size : own)
      if (rng.below(2) == 0) size = 1;
    const Access access = access_of(own, sizes);
    ASSERT_EQ(access, enumerated_access(own, sizes))
        << ::testing::PrintToString(own) << " over " << ::testing::PrintToString(sizes);
    ++seen[static_cast<std::size_t>(access)];
  }
  for (const int count : seen) EXPECT_GT(count, 100);
}

TEST(LoopTest, SizesThatDoNotAgreeAreReadInSomeOtherWay) {
  EXPECT_EQ(access_of(Axes{2, 3}, Axes{3, 2}), Access::other);
  EXPECT_EQ(access_of(Axes{6}, Axes{2, 3}), Access::other);
  EXPECT_EQ(access_of(Axes{0}, Axes{3}), Access::other);
}

TEST(LoopTest, MovingAxesKeepsTheOrderWhenCountingSaysSo) {
  Rng rng(2);
  for (int round = 0; round < 2000; ++round) {
    const Axes sizes = random_sizes(rng);
    Axes order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    Axes strides(sizes.size(), 1), moved;
    for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
    for (const std::int64_t axis : order) moved.push_back(sizes[static_cast<std::size_t>(axis)]);
    bool kept = true;
    for (std::int64_t point = 0; point < product(moved); ++point) {
      std::int64_t rest = point, element = 0;
      for (std::size_t i = moved.size(); i-- > 0; rest /= moved[i])
        element += rest % moved[i] * strides[static_cast<std::size_t>(order[i])];
      kept = kept && element == point;
    }
    ASSERT_EQ(keeps_order(order, sizes), kept)
        << ::testing::PrintToString(order) << " of " << ::testing::PrintToString(sizes);
  }
}

TEST(LoopTest, RowsFollowOneAnotherWhenCountingSaysSo) {
  Rng rng(3);
  std::vector<int> seen(5);
  for (int round = 0; round < 3000; ++round) {
    const Axes sizes = random_sizes(rng);
    std::vector<bool> folded;
    Axes kept = sizes;
    for (std::int64_t& size : kept) {
      folded.push_back(rng.below(2) == 0);
      if (folded.back()) size = 1;
    }
    const Axes result = elements_read(kept, sizes);  // that each point goes into
    const Loop loop = fold_loop(sizes, folded, {Access::same});
    const bool ascends = std::ranges::is_sorted(result);
    const Loop::Kind wanted = product(kept) == product(sizes) ? Loop::Kind::map
                              : ascends                       ? Loop::Kind::rows
                                                              : Loop::Kind::columns;
    ASSERT_EQ(loop.kind, wanted) << ::testing::PrintToString(folded) << " of " << ::testing::PrintToString(sizes);
    EXPECT_EQ(loop.points, static_cast<double>(product(sizes)));
    EXPECT_EQ(loop.rows, static_cast<double>(product(kept)));
    EXPECT_EQ(loop.results, loop.rows);
    const Loop normalized = row_loop(sizes, folded, {Access::same});
    EXPECT_EQ(normalized.kind, wanted == Loop::Kind::columns ? Loop::Kind::none : wanted);
    EXPECT_EQ(normalized.results, normalized.points);
    ++seen[static_cast<std::size_t>(loop.kind)];
  }
  for (const Loop::Kind kind : {Loop::Kind::map, Loop::Kind::rows, Loop::Kind::columns})
    EXPECT_GT(seen[static_cast<std::size_t>(kind)], 100);
}

}  // namespace
}  // namespace hone
