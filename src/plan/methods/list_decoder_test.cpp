#include "plan/methods/list_decoder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/random_problem.h"
#include "bench/simulation_oracle.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/chain_problem_test.h"
#include "plan/problem/check.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

constexpr Direction kBothWays[] = {Direction::forward, Direction::backward};

/// Anything may be drawn, sense or none.
ListGuidance random_guidance(const Problem& problem, Direction direction, Rng& rng) {
  ListGuidance guidance{.direction = direction, .haste = 3 * rng.uniform(), .transfer_price = 5 * rng.uniform()};
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) guidance.keys.push_back(rng.uniform());
  if (rng.below(2) == 0)
    for (std::size_t i = 0; i < guidance.keys.size() * problem.machine.device_count(); ++i)
      guidance.bias.push_back(static_cast<float>(rng.uniform()));
  return guidance;
}

TEST(ListDecoder, MakesValidPlansThatCanBeCarriedOut) {
  Rng rng(1);
  for (int round = 0; round < 60; ++round) {
    Workload workload = random_workload(rng, 30);
    const Problem problem{.workload = std::move(workload),
                          .machine = random_machine(rng),
                          .objective = round % 2 == 0 ? Objective::seconds : Objective::seconds_in_memory};
    const Durations durations(problem);
    ListDecoder decoder(durations);
    for (const Direction direction : kBothWays) {
      const Plan plan = decoder.decode(random_guidance(problem, direction, rng), undecided_plan(problem));
      EXPECT_EQ(check(problem, plan), std::nullopt);
      EXPECT_TRUE(std::isfinite(simulate_slowly(problem.workload, problem.machine, plan).cost.seconds));
    }
  }
}

TEST(ListDecoder, NothingIsPlacedBeforeWhatItWaitsFor) {
  Rng rng(2);
  const Problem problem{.workload = layered_training_workload(300, 1), .machine = load_machine("p100-4")};
  const Durations durations(problem);
  ListDecoder decoder(durations);
  for (const Direction direction : kBothWays) {
    const Plan plan = decoder.decode(random_guidance(problem, direction, rng), undecided_plan(problem));
    for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
      const OperationId operation(i);
      const double seconds = durations.seconds(operation, plan.device_of[i]);
      for (const Durations::Read& read :
           direction == Direction::forward ? durations.reads(operation) : durations.read_by(operation))
        EXPECT_LE(decoder.finishes()[read.other.index()], decoder.finishes()[i] - seconds * (1 - 1e-9));
    }
  }
}

TEST(ListDecoder, AgreesWithTheSimulatorWhereNothingHasToQueue) {
  const Problem problem = chain_problem();
  const Durations durations(problem);
  ListDecoder decoder(durations);
  for (const Direction direction : kBothWays) {
    ListGuidance guidance{.direction = direction, .keys = std::vector<double>(5), .bias = std::vector<float>(20, 1e9F)};
    for (std::size_t i = 0; i < 5; ++i) guidance.bias[i * 4 + i % 2] = 0;
    const Plan plan = decoder.decode(guidance, undecided_plan(problem));
    const Timeline timeline = simulate_slowly(problem.workload, problem.machine, plan);
    EXPECT_EQ(timeline.transfers.size(), 4U);
    EXPECT_NEAR(timeline.cost.seconds, *std::ranges::max_element(decoder.finishes()), 1e-12);
  }
}

TEST(ListDecoder, EstimatesAreNearTheSimulatorOnTrainingGraphs) {
  for (const char* machine : {"p100-4", "h200-8"}) {
    const Problem problem{.workload = layered_training_workload(600, 2), .machine = load_machine(machine)};
    const Durations durations(problem);
    ListDecoder decoder(durations);
    for (const Direction direction : kBothWays) {
      const ListGuidance guidance{.direction = direction,
                                  .keys = direction == Direction::forward
                                              ? seconds_to_the_end(durations, TransfersOnPath::averaged)
                                              : seconds_from_the_start(durations, TransfersOnPath::averaged)};
      const Plan plan = decoder.decode(guidance, undecided_plan(problem));
      EXPECT_NEAR(SimulatedCost(problem).evaluate(plan).seconds / *std::ranges::max_element(decoder.finishes()), 1, 0.1)
          << machine;
    }
  }
}

TEST(ListDecoder, ABiasThatNothingIsWorthDecidesDevices) {
  Rng rng(3);
  const Problem problem{.workload = layered_training_workload(200, 3), .machine = load_machine("p100-4")};
  const Durations durations(problem);
  ListDecoder decoder(durations);
  for (const Direction direction : kBothWays) {
    ListGuidance guidance = random_guidance(problem, direction, rng);
    guidance.bias.assign(guidance.keys.size() * 4, 1e30F);
    std::vector<DeviceId> wanted;
    for (std::size_t i = 0; i < guidance.keys.size(); ++i) {
      wanted.emplace_back(rng.below(4));
      guidance.bias[i * 4 + wanted.back().index()] = 0;
    }
    EXPECT_EQ(decoder.decode(guidance, undecided_plan(problem)).device_of, wanted);
  }
}

TEST(ListDecoder, MovesLessWhereTransfersHaveAPrice) {
  const Problem problem{.workload = layered_training_workload(400, 4), .machine = load_machine("p100-4")};
  const Durations durations(problem);
  ListDecoder decoder(durations);
  for (const Direction direction : kBothWays) {
    ListGuidance guidance{.direction = direction,
                          .keys = direction == Direction::forward
                                      ? seconds_to_the_end(durations, TransfersOnPath::averaged)
                                      : seconds_from_the_start(durations, TransfersOnPath::averaged)};
    const auto transfers = [&] {
      const Plan plan = decoder.decode(guidance, undecided_plan(problem));
      return SimulatedCost(problem).trace(plan)->transfers.size();
    };
    const std::size_t unpriced = transfers();
    guidance.transfer_price = 4;
    EXPECT_LT(transfers(), unpriced);
  }
}

/// An urgent operation waits for three seconds of work elsewhere; meanwhile its device could run one of four seconds.
TEST(ListDecoder, HasteDecidesWhetherADeviceWaitsForWhatIsUrgent) {
  WorkloadBuilder builder("haste");
  builder.set_device_kinds({"processor"});
  std::vector<OperationId> operations;
  for (const double seconds : {3.0, 1.0, 4.0}) {
    const std::string name = fmt::format("work{}", operations.size());
    const BufferId output = builder.add_buffer({.name = name, .transfer_seconds = 0});
    operations.push_back(
        builder.add_operation({.name = name, .op = "task", .seconds = {seconds}}, {}, std::span(&output, 1)));
  }
  builder.add_dependency(operations[0], operations[1]);
  const Problem problem{
      .workload = std::move(builder).build(), .machine = load_machine("processors:2"), .objective = Objective::seconds};
  const Durations durations(problem);
  ListDecoder decoder(durations);
  ListGuidance guidance{.keys = {20, 10, 5}, .bias = {100, 0, 0, 100, 0, 100}};
  decoder.decode(guidance, undecided_plan(problem));
  EXPECT_EQ(decoder.finishes()[1], 4);  // its device has waited
  EXPECT_EQ(decoder.finishes()[2], 8);
  guidance.haste = 3;
  decoder.decode(guidance, undecided_plan(problem));
  EXPECT_EQ(decoder.finishes()[1], 5);
  EXPECT_EQ(decoder.finishes()[2], 4);
}

}  // namespace
}  // namespace hone
