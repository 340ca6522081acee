#include "plan/simulate/stations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/random.h"

namespace hone {
namespace {

TEST(AlarmClockTest, NextIsTheEarliestWhateverIsSetAndUnset) {
  constexpr std::size_t kAlarms = 11;
  AlarmClock clock(kAlarms);
  std::vector<double> times(kAlarms, AlarmClock::kNever);
  Rng rng(3);
  for (std::uint32_t step = 0; step < 1000; ++step) {
    const auto alarm = static_cast<std::uint32_t>(rng.below(kAlarms));
    times[alarm] = rng.below(3) == 0 ? AlarmClock::kNever : rng.uniform();
    clock.set(alarm, times[alarm], 100 + alarm);
    const auto earliest = std::ranges::min_element(times);
    ASSERT_EQ(clock.next(), *earliest);
    if (*earliest == AlarmClock::kNever) continue;
    EXPECT_EQ(clock.next_alarm(), earliest - times.begin());
    EXPECT_EQ(clock.next_event(), 100 + clock.next_alarm());
  }
}

TEST(StationsTest, StartsTheLeastKeyOnTheLowestFreeStream) {
  const std::size_t streams[] = {2, 1};
  Stations stations(streams, 8);
  const std::uint32_t rooms[] = {6, 2};
  stations.reset(rooms);
  for (const std::uint64_t key : {5, 3, 4}) stations.enqueue(0, key);
  stations.enqueue(1, 9);
  std::vector<std::array<std::uint32_t, 3>> started;
  const auto start = [&](std::uint32_t station, std::uint32_t stream, std::uint32_t what) {
    started.push_back({station, stream, what});
    return static_cast<double>(what);
  };
  stations.start_all(start);
  using Starts = std::vector<std::array<std::uint32_t, 3>>;
  EXPECT_EQ(started, (Starts{{0, 0, 3}, {0, 1, 4}, {1, 0, 9}}));
  EXPECT_EQ(stations.next(), 3);
  EXPECT_EQ(stations.end_next().what, 3U);
  stations.start_all(start);
  EXPECT_EQ(started.back(), (std::array<std::uint32_t, 3>{0, 0, 5}));
  for (const std::uint32_t what : {4U, 5U, 9U}) EXPECT_EQ(stations.end_next().what, what);
  EXPECT_EQ(stations.next(), AlarmClock::kNever);
}

}  // namespace
}  // namespace hone
