#include "plan/simulate/resources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/random.h"

namespace hone {
namespace {

TEST(AlarmClockTest, NextIsTheEarliestWhateverIsSetAndUnset) {
  constexpr std::size_t kSlots = 11;
  EventTree clock(kSlots);
  std::vector<double> times(kSlots, EventTree::kNever);
  Rng rng(3);
  for (std::uint32_t step = 0; step < 1000; ++step) {
    const auto slot = static_cast<std::uint32_t>(rng.below(kSlots));
    times[slot] = rng.below(3) == 0 ? EventTree::kNever : rng.uniform();
    clock.set(slot, times[slot], 100 + slot);
    const auto earliest = std::ranges::min_element(times);
    ASSERT_EQ(clock.next(), *earliest);
    if (*earliest == EventTree::kNever) continue;
    EXPECT_EQ(clock.next_slot(), earliest - times.begin());
    EXPECT_EQ(clock.next_event(), 100 + clock.next_slot());
  }
}

TEST(StationsTest, StartsTheLeastKeyOnTheLowestFreeStream) {
  const std::size_t streams[] = {2, 1};
  Resources resources(streams, 8);
  const std::uint32_t rooms[] = {6, 2};
  resources.reset(rooms);
  for (const std::uint64_t key : {5, 3, 4}) resources.enqueue(0, key);
  resources.enqueue(1, 9);
  std::vector<std::array<std::uint32_t, 3>> started;
  const auto start = [&](std::uint32_t resource, std::uint32_t stream, std::uint32_t what) {
    started.push_back({resource, stream, what});
    return static_cast<double>(what);
  };
  resources.start_all(start);
  using Starts = std::vector<std::array<std::uint32_t, 3>>;
  EXPECT_EQ(started, (Starts{{0, 0, 3}, {0, 1, 4}, {1, 0, 9}}));
  EXPECT_EQ(resources.next(), 3);
  EXPECT_EQ(resources.end_next().what, 3U);
  resources.start_all(start);
  EXPECT_EQ(started.back(), (std::array<std::uint32_t, 3>{0, 0, 5}));
  for (const std::uint32_t what : {4U, 5U, 9U}) EXPECT_EQ(resources.end_next().what, what);
  EXPECT_EQ(resources.next(), EventTree::kNever);
}

}  // namespace
}  // namespace hone
