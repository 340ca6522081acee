#include "plan/simulate/bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

TEST(BoundsTest, NeverAboveASimulatedCost) {
  std::size_t compared = 0, tight = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed + 1'000'000);
    const Workload workload = random_workload(rng, 1 + rng.below(20));
    const Machine machine = random_machine(rng);
    try {
      Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
      const Plan plan = random_plan(rng, workload, machine);
      const Cost cost = simulator.evaluate(plan);
      if (!std::isfinite(cost.seconds)) continue;
      const Bounds bounds = lower_bounds(workload, machine, plan.group_of.empty() ? Fusion::none : Fusion::allowed);
      ASSERT_LE(bounds.seconds(), cost.seconds) << "seed " << seed;
      ASSERT_LE(bounds.peak_bytes(), cost.peak_bytes) << "seed " << seed;
      ++compared;
      tight += bounds.seconds() > 0.99 * cost.seconds && bounds.peak_bytes() > 0.99 * cost.peak_bytes ? 1 : 0;
    } catch (const InputError&) {
      continue;  // an operation that no device runs
    }
  }
  EXPECT_GT(compared, 1000U);
  EXPECT_GT(tight, 0U);
}

TEST(BoundsTest, ExactOnAChain) {
  WorkloadBuilder builder("chain");
  builder.set_device_kinds({"unit"});
  BufferId at = builder.add_buffer({.bytes = 5, .kind = Buffer::Kind::weight});
  for (const double seconds : {1.0, 2.0, 4.0}) {
    const BufferId output = builder.add_buffer({.bytes = 10 * seconds});
    builder.add_operation({.name = "w", .seconds = {seconds}}, std::span(&at, 1), std::span(&output, 1));
    at = output;
  }
  const Workload workload = std::move(builder).build();
  const Bounds bounds = lower_bounds(workload, load_machine("regal-2"), Fusion::none);
  EXPECT_NEAR(bounds.critical_path_seconds, 7, 1e-6);
  EXPECT_NEAR(bounds.total_work_seconds, 3.5, 1e-6);
  EXPECT_NEAR(bounds.working_set_bytes, 60, 1e-6);
  EXPECT_NEAR(bounds.kept_bytes, 2.5, 1e-6);
  EXPECT_NEAR(bounds.cut_bytes, 32.5,
              1e-6);  // the weight, what the last operation reads and what it writes, on two devices
}

}  // namespace
}  // namespace hone
