#include "plan/methods/held_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "bench/simulation_oracle.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

Workload random_graph(Rng& rng, std::size_t operations) {
  WorkloadBuilder builder("graph");
  builder.set_device_kinds({"processor"});
  std::vector<BufferId> made;
  for (std::size_t i = 0; i < operations; ++i) {
    std::vector<BufferId> inputs;
    for (std::size_t n = rng.below(3); n > 0 && !made.empty(); --n) inputs.push_back(made[rng.below(made.size())]);
    made.push_back(builder.add_buffer({.name = fmt::format("buffer{}", i),
                                       .bytes = static_cast<double>(rng.below(100)),
                                       .is_output = rng.below(8) == 0}));
    builder.add_operation({.name = fmt::format("work{}", i), .seconds = {1}}, inputs, std::span(&made.back(), 1));
  }
  return std::move(builder).build();
}

TEST(HeldMemory, AgreesWithTheSimulatorOnOneDevice) {
  Rng rng(1);
  const Machine machine = load_machine("processors:1");
  for (int round = 0; round < 50; ++round) {
    const Workload workload = random_graph(rng, 25);
    HeldMemory memory(workload, 1);
    double peak = 0;
    for (const OperationId operation : workload.topological_order()) {
      peak = std::max(peak, memory.held(DeviceId(0)) + memory.added(operation, DeviceId(0)));
      memory.place(operation, DeviceId(0));
    }
    EXPECT_EQ(simulate_slowly(workload, machine, plan_on_one_device(workload)).cost.peak_bytes, peak);
  }
}

TEST(HeldMemory, CountsCopiesAndWeightsWhereTheyAreRead) {
  WorkloadBuilder builder("two");
  const BufferId weight = builder.add_buffer({.name = "weight", .bytes = 5, .kind = Buffer::Kind::weight});
  const BufferId first = builder.add_buffer({.name = "first", .bytes = 10});
  const BufferId second = builder.add_buffer({.name = "second", .bytes = 1, .is_output = true});
  const OperationId maker = builder.add_operation({.name = "maker"}, std::span(&weight, 1), std::span(&first, 1));
  const BufferId inputs[] = {weight, first};
  const OperationId reader = builder.add_operation({.name = "reader"}, inputs, std::span(&second, 1));
  const Workload workload = std::move(builder).build();
  HeldMemory memory(workload, 2);
  memory.place(maker, DeviceId(0));
  EXPECT_EQ(memory.held(DeviceId(0)), 15);
  EXPECT_EQ(memory.added(reader, DeviceId(0)), 1);
  EXPECT_EQ(memory.added(reader, DeviceId(1)), 16);
  memory.place(reader, DeviceId(1));
  EXPECT_EQ(memory.held(DeviceId(0)), 5);
  EXPECT_EQ(memory.held(DeviceId(1)), 6);
}

/// Before an operation a device holds what the operations after it leave to be made, if no result is kept.
TEST(HeldMemory, HoldsTheSameFromTheEnd) {
  Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    WorkloadBuilder builder("graph");
    builder.set_device_kinds({"processor"});
    std::vector<BufferId> made;
    for (std::size_t i = 0; i < 25; ++i) {
      std::vector<BufferId> inputs;
      for (std::size_t n = rng.below(3); n > 0 && !made.empty(); --n) inputs.push_back(made[rng.below(made.size())]);
      made.push_back(builder.add_buffer({.bytes = static_cast<double>(rng.below(100))}));
      builder.add_operation({.name = fmt::format("work{}", i), .seconds = {1}}, inputs, std::span(&made.back(), 1));
    }
    const Workload workload = std::move(builder).build();
    HeldMemory forward(workload, 2), backward(workload, 2);
    std::vector<double> before;
    for (std::size_t i = 0; i < 25; ++i) {
      before.push_back(forward.held(DeviceId(0)));
      forward.place(OperationId(i), DeviceId(0));
    }
    for (std::size_t i = 25; i-- > 0;) {
      backward.place_backward(OperationId(i), DeviceId(0));
      EXPECT_EQ(backward.held(DeviceId(0)), before[i]);
    }
  }
}

}  // namespace
}  // namespace hone
