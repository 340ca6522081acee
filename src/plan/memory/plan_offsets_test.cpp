#include "plan/memory/plan_offsets.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

TEST(PlanOffsetsTest, ArenasHoldWhatTheSimulatorCounts) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    const Workload workload = random_workload(rng, 25);
    const Machine machine = random_machine(rng);
    const Plan plan = random_plan(rng, workload, machine);
    Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
    if (!simulator.evaluate(plan).feasible()) continue;
    const PlanOffsets offsets = lay_out_memory(workload, machine, plan);
    ASSERT_EQ(offsets.arenas.size(), machine.device_count());
    for (std::size_t device = 0; device < machine.device_count(); ++device) {
      EXPECT_GE(offsets.arenas[device].arena_bytes, offsets.arenas[device].bound_bytes);
      EXPECT_GE(static_cast<double>(offsets.arenas[device].bound_bytes), simulator.peak_bytes()[device]);
    }
  }
}

TEST(PlanOffsetsTest, BuffersAliveTogetherDoNotCollide) {
  // a -> b -> c in a row: a and c can share, b lies beside both.
  WorkloadBuilder builder("row");
  BufferId last = builder.add_buffer({.name = "input", .bytes = 64, .kind = Buffer::Kind::input});
  for (const char* name : {"a", "b", "c"}) {
    const BufferId made = builder.add_buffer({.name = name, .bytes = 128, .is_output = name[0] == 'c'});
    builder.add_operation({.name = name}, std::vector{last}, std::vector{made});
    last = made;
  }
  const Workload workload = std::move(builder).build();
  const Machine machine = load_machine("h200-1");
  const PlanOffsets offsets = lay_out_memory(workload, machine, plan_on_one_device(workload));
  EXPECT_EQ(offsets.arenas[0].arena_bytes, 64 + 2 * 128);
  EXPECT_EQ(offsets.offset_of[1], offsets.offset_of[3]);
  EXPECT_GE(std::abs(offsets.offset_of[2] - offsets.offset_of[1]), 128);
  for (const std::int64_t offset : offsets.offset_of) EXPECT_EQ(offset % 64, 0);
}

}  // namespace
}  // namespace hone
