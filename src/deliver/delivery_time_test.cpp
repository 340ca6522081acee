#include "deliver/delivery_time.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

DeliveryRequest within(std::optional<double> seconds) {
  DeliveryRequest request;
  request.seconds = seconds;
  return request;
}

TEST(DeliveryTimeTest, TheLastMeasurementUsesWhatIsLeftOfTheUsersTime) {
  const DeliveryRequest request = within(100), much = within(10000), none = within({});
  DeliveryTime time(request), long_time(much), usual(none);
  for (DeliveryTime* each : {&time, &long_time, &usual}) each->saw(1, 2, 0.01);
  constexpr double kLeast = 9;                          // of 100 seconds
  EXPECT_DOUBLE_EQ(time.final_seconds(2), 3 * kLeast);  // there is time for more, but no more than that is taken
  EXPECT_NEAR(time.final_seconds(4), 73.0 / 4, 0.1);    // what is left, shared out
  EXPECT_DOUBLE_EQ(time.final_seconds(9), kLeast);      // whatever is left
  EXPECT_DOUBLE_EQ(long_time.final_seconds(2), 3 * 900.0);
  EXPECT_DOUBLE_EQ(usual.final_seconds(2), 3.6);  // nobody gave a limit
}

TEST(DeliveryTimeTest, WithoutALimitSlowModelsGetMoreTime) {
  const DeliveryRequest none = within({}), given = within(100);
  DeliveryTime quick(none), slow(none), very_slow(none), limited(given);
  quick.saw(0.5, 1, 0.01);
  slow.saw(4, 10, 0.2);
  very_slow.saw(60, 100, 10);
  limited.saw(4, 10, 0.2);
  EXPECT_NEAR(quick.seconds_left(), 115, 1);
  EXPECT_NEAR(slow.seconds_left(), 200, 1);
  EXPECT_NEAR(very_slow.seconds_left(), 300, 1);
  EXPECT_NEAR(limited.seconds_left(), 100, 1);
  EXPECT_DOUBLE_EQ(quick.final_seconds(2), 3.6);
  EXPECT_DOUBLE_EQ(slow.final_seconds(2), 8);
  EXPECT_DOUBLE_EQ(very_slow.final_seconds(2), 3 * 3.6);
}

TEST(DeliveryTimeTest, WhatDoesNotFitIsNotMeasured) {
  const DeliveryRequest request = within(20);
  DeliveryTime time(request);
  time.saw(1, 2, 0.01);
  EXPECT_TRUE(time.can_measure(4));  // 1.8 seconds each, and a look
  time.saw(4, 2, 0.01);
  EXPECT_TRUE(time.can_measure(2));
  EXPECT_FALSE(time.can_measure(4));  // 18 seconds of looks
}

TEST(DeliveryTimeTest, SearchingLeavesTimeForMeasuringAndChecking) {
  const DeliveryRequest request = within(100);
  DeliveryTime time(request);
  time.saw(1, 2, 0.01);
  EXPECT_NEAR(time.search_seconds_left(), 100 - (2 * 9 + 1) - (2 + 1), 0.5);
}

}  // namespace
}  // namespace hone
