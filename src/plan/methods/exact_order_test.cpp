#include "plan/methods/exact_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/random_problem.h"
#include "plan/methods/least_memory_order.h"
#include "plan/methods/listed_order_test.h"

namespace hone {
namespace {

/// The least peak of all orders that agree with `order` outside the segment, by trying all of them.
class AllOrders {
 public:
  AllOrders(const OrderMemory& memory, std::vector<OperationId> order, OrderSegment segment)
      : memory_(memory), order_(std::move(order)), segment_(segment) {}

  std::int64_t least() {
    extend(segment_.first);
    return least_;
  }

 private:
  bool may_come_at(std::size_t position) const {
    const auto needs = memory_.before(order_[position]);
    return std::none_of(order_.begin() + static_cast<std::ptrdiff_t>(position), order_.end(),
                        [&](OperationId later) { return std::ranges::find(needs, later) != needs.end(); });
  }

  void extend(std::size_t position) {
    if (position == segment_.last) {
      const std::vector<std::int64_t> profile = memory_.profile(order_);
      std::int64_t peak = 0;
      for (std::size_t i = segment_.first; i < segment_.last; ++i) peak = std::max(peak, profile[i]);
      least_ = std::min(least_, peak);
      return;
    }
    for (std::size_t i = position; i < segment_.last; ++i) {
      std::swap(order_[position], order_[i]);
      if (may_come_at(position)) extend(position + 1);
      std::swap(order_[position], order_[i]);
    }
  }

  const OrderMemory& memory_;
  std::vector<OperationId> order_;
  OrderSegment segment_;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
};

constexpr std::int64_t kNoCeiling = std::numeric_limits<std::int64_t>::max();

void expect_least(const OrderMemory& memory, const std::vector<OperationId>& order, OrderSegment segment) {
  const std::int64_t least = AllOrders(memory, order, segment).least();
  const ExactOrder found = exact_order(memory, order, segment, {.ceiling = kNoCeiling, .states = 100'000});
  EXPECT_EQ(found.bound_bytes, least);
  ASSERT_EQ(found.operations.size(), segment.last - segment.first);
  std::vector<OperationId> better = order;
  std::ranges::copy(found.operations, better.begin() + static_cast<std::ptrdiff_t>(segment.first));
  EXPECT_TRUE(std::ranges::is_permutation(better, order));
  for (std::size_t i = 0; i < better.size(); ++i)
    for (const OperationId need : memory.before(better[i]))
      EXPECT_LT(std::ranges::find(better, need) - better.begin(), static_cast<std::ptrdiff_t>(i));
  const std::vector<std::int64_t> profile = memory.profile(better);
  EXPECT_EQ(*std::max_element(profile.begin() + static_cast<std::ptrdiff_t>(segment.first),
                              profile.begin() + static_cast<std::ptrdiff_t>(segment.last)),
            least);
  const ExactOrder none = exact_order(memory, order, segment, {.ceiling = least, .states = 100'000});
  EXPECT_TRUE(none.operations.empty());
  EXPECT_EQ(none.bound_bytes, least);
}

TEST(ExactOrderTest, FindsTheBestOfAllOrdersOfSmallGraphs) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Workload workload = random_workload(rng, 7);
    if (workload.operation_count() == 0) continue;
    expect_least(OrderMemory(workload), listed(workload), {0, workload.operation_count()});
  }
}

TEST(ExactOrderTest, FindsTheBestOrderWithinASegment) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Workload workload = seed % 2 == 0 ? random_workload(rng, 30) : layered_training_workload(30, seed);
    const std::size_t first = rng.below(workload.operation_count());
    const std::size_t last = std::min(workload.operation_count(), first + 1 + rng.below(7));
    expect_least(OrderMemory(workload), listed(workload), {first, last});
  }
}

TEST(ExactOrderTest, WhenItIsStoppedItsBoundHolds) {
  std::size_t stopped = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Workload workload = layered_training_workload(24, seed);
    const OrderMemory memory(workload);
    const OrderSegment all{0, workload.operation_count()};
    const ExactOrder best = exact_order(memory, listed(workload), all, {.ceiling = kNoCeiling, .states = 1'000'000});
    ASSERT_FALSE(best.operations.empty()) << seed;
    const ExactOrder some = exact_order(memory, listed(workload), all, {.ceiling = kNoCeiling, .states = 10});
    EXPECT_LE(some.bound_bytes, best.bound_bytes) << seed;
    stopped += some.operations.empty() ? 1 : 0;
  }
  EXPECT_GT(stopped, 20U);
}

}  // namespace
}  // namespace hone
