#include "plan/methods/device_clock.h"

#include <gtest/gtest.h>

#include "plan/machine/machine_file.h"

namespace hone {
namespace {

/// A chain of two operations of two seconds each, and one of one second that nobody waits for.
Problem chain_and_other() {
  WorkloadBuilder builder("chain");
  builder.set_device_kinds({"unit"});
  const BufferId first = builder.add_buffer({.name = "first", .bytes = 1});
  const BufferId second = builder.add_buffer({.name = "second", .bytes = 1});
  const BufferId other = builder.add_buffer({.name = "other", .bytes = 1});
  builder.add_operation({.name = "a", .seconds = {2}}, {}, std::span(&first, 1));
  builder.add_operation({.name = "b", .seconds = {2}}, std::span(&first, 1), std::span(&second, 1));
  builder.add_operation({.name = "c", .seconds = {1}}, {}, std::span(&other, 1));
  return {
      .workload = std::move(builder).build(), .machine = load_machine("regal-2"), .objective = Objective::peak_bytes};
}

TEST(DeviceClock, AnIdleDeviceRunsAheadAndABusyOneDoesNot) {
  const Problem problem = chain_and_other();
  const Durations durations(problem);
  DeviceClock clock(durations);
  const OperationId a(0), b(1), c(2);
  clock.place(a, DeviceId(0), clock.start_on(a, DeviceId(0)));
  EXPECT_EQ(clock.start_on(b, DeviceId(0)), 2);
  EXPECT_EQ(clock.start_on(b, DeviceId(1)), 2);
  clock.place(b, DeviceId(0), 2);
  EXPECT_EQ(clock.start_on(c, DeviceId(0)), 4);
  EXPECT_EQ(clock.start_on(c, DeviceId(1)), 0);
  EXPECT_EQ(clock.stay(c, DeviceId(0), 4).start, 2U);
  EXPECT_EQ(clock.stay(c, DeviceId(1), 0).start, 1U);
  clock.clear(Waiting::never);
  EXPECT_EQ(clock.stay(a, DeviceId(0), 0).start, 0U);
}

TEST(DeviceClock, WhereDevicesWaitNothingRunsAhead) {
  const Problem problem = chain_and_other();
  const Durations durations(problem);
  DeviceClock clock(durations);
  const OperationId a(0), b(1), c(2);
  clock.clear(Waiting::in_line);
  clock.place(a, DeviceId(0), 0);
  clock.place(b, DeviceId(1), clock.start_on(b, DeviceId(1)));
  EXPECT_EQ(clock.start_on(c, DeviceId(0)), 2);
  EXPECT_EQ(clock.start_on(c, DeviceId(1)), 4);
}

TEST(DeviceClock, WhatWaitsLeavesAGapThatIsFilled) {
  const Problem problem = chain_and_other();
  const Durations durations(problem);
  DeviceClock clock(durations);
  const OperationId a(0), b(1), c(2);
  clock.place(a, DeviceId(0), 0);
  clock.place(b, DeviceId(1), clock.start_on(b, DeviceId(1)));
  EXPECT_EQ(clock.start_on(c, DeviceId(1)), 0);
  clock.place(c, DeviceId(1), 0);
  EXPECT_EQ(clock.start_on(c, DeviceId(1)), 1);  // the rest of the gap
}

}  // namespace
}  // namespace hone
