#include "bench/doppler_rules.h"

#include <gtest/gtest.h>

#include "formats/foreign/doppler.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

/// Two results, of 3 and of 1 seconds, that a third operation of 2 seconds reads; sending either takes 5 seconds.
Problem small_problem() {
  return {.workload = parse_doppler(
              "3\n\n0, 1\n2, 2\n30000000000,50000000000\n10000000000,50000000000\n20000000000,0\n", "small"),
          .machine = load_machine("processors:2"),
          .objective = Objective::seconds};
}

Plan placed_on(std::vector<DeviceId> devices) { return {.device_of = std::move(devices)}; }

TEST(DopplerRulesTest, OneDeviceRunsAllOneAfterAnother) {
  const Problem problem = small_problem();
  EXPECT_EQ(DopplerRules(problem).evaluate(placed_on({DeviceId(0), DeviceId(0), DeviceId(0)})).seconds, 6);
}

TEST(DopplerRulesTest, ResultsReachOtherDevicesAfterTheirSecondsSideBySide) {
  const Problem problem = small_problem();
  DopplerRules rules(problem);
  EXPECT_EQ(rules.evaluate(placed_on({DeviceId(0), DeviceId(1), DeviceId(0)})).seconds, 1 + 5 + 2);
  // Both are sent by one device at once: the later result decides.
  EXPECT_EQ(rules.evaluate(placed_on({DeviceId(0), DeviceId(0), DeviceId(1)})).seconds, 4 + 5 + 2);
}

TEST(DopplerRulesTest, WhatBecameReadyFirstRunsFirst) {
  const Workload workload =
      parse_doppler("4\n\n0, 1\n2, 3\n20000000000,0\n10000000000,0\n10000000000,0\n90000000000,0\n", "queue");
  const Problem problem{.workload = workload, .machine = load_machine("processors:4"), .objective = Objective::seconds};
  // The last two share a device; the long one is ready after a second, the short one after two.
  const Plan plan = placed_on({DeviceId(0), DeviceId(1), DeviceId(2), DeviceId(2)});
  EXPECT_EQ(DopplerRules(problem).evaluate(plan).seconds, 1 + 9 + 1);
}

TEST(DopplerRulesTest, TheChainThatEndsLastIsToBlame) {
  const Problem problem = small_problem();
  const std::vector<Blame> blames = DopplerRules(problem).blame(placed_on({DeviceId(0), DeviceId(1), DeviceId(0)}));
  ASSERT_EQ(blames.size(), 2u);
  EXPECT_EQ(blames[0].operation, OperationId(2));
  EXPECT_EQ(blames[1].operation, OperationId(1));
  EXPECT_EQ(blames[0].share, 2);
}

}  // namespace
}  // namespace hone
