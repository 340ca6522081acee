#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

TEST(ThreadPool, DoesEveryStepOfEveryLoopOnce) {
  for (const std::size_t workers : {1, 2, 5}) {
    ThreadPool pool(workers);
    EXPECT_EQ(pool.workers(), workers);
    std::vector<int> done(100);
    for (int round = 1; round <= 50; ++round) {
      pool.for_each(done.size(), [&](std::size_t worker, std::size_t i) {
        EXPECT_LT(worker, workers);
        ++done[i];
      });
      EXPECT_EQ(std::ranges::count(done, round), 100);
    }
    pool.for_each(0, [&](std::size_t, std::size_t) { ADD_FAILURE() << "there is nothing to do"; });
  }
}

}  // namespace
}  // namespace hone
