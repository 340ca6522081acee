#include "base/cow_vector.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace hone {
namespace {

TEST(CowVectorTest, CopiesDoNotSeeEachOthersWrites) {
  CowVector<int> a;
  for (int i = 0; i < 1000; ++i) a.push_back(i);
  CowVector<int> b = a;
  b.write(300) = -1;
  b.push_back(1000);
  EXPECT_EQ(a[300], 300);
  EXPECT_EQ(a.size(), 1000u);
  EXPECT_EQ(b[300], -1);
  EXPECT_EQ(b[1000], 1000);
  EXPECT_EQ(b[999], 999);
}

TEST(CowVectorTest, UntouchedChunksStayShared) {
  CowVector<int> a;
  for (int i = 0; i < 1000; ++i) a.push_back(i);
  CowVector<int> b = a;
  b.write(0) = 7;
  EXPECT_NE(&a[0], &b[0]);
  EXPECT_EQ(&a[999], &b[999]);
}

TEST(CowVectorTest, BehavesLikeVectorsUnderRandomCopiesAndWrites) {
  Rng rng(1);
  std::vector<CowVector<std::uint64_t>> shared(4);
  std::vector<std::vector<std::uint64_t>> plain(4);
  for (int step = 0; step < 20000; ++step) {
    const std::size_t which = rng.below(4), other = rng.below(4);
    const std::uint64_t word = rng.next();
    switch (rng.below(50) == 0 ? 0 : 1 + rng.below(2)) {
      case 0:
        shared[which] = shared[other];
        plain[which] = plain[other];
        break;
      case 1:
        shared[which].push_back(word);
        plain[which].push_back(word);
        break;
      default:
        if (plain[which].empty()) break;
        shared[which].write(word % plain[which].size()) = word;
        plain[which][word % plain[which].size()] = word;
    }
  }
  for (std::size_t which = 0; which < 4; ++which) {
    ASSERT_EQ(shared[which].size(), plain[which].size());
    for (std::size_t i = 0; i < plain[which].size(); ++i) ASSERT_EQ(shared[which][i], plain[which][i]);
  }
}

}  // namespace
}  // namespace hone
