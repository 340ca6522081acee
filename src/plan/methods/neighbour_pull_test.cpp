#include "plan/methods/neighbour_pull.h"

#include <gtest/gtest.h>

#include "plan/methods/chain_problem_test.h"

namespace hone {
namespace {

class NeighbourPullTest : public testing::Test {
 protected:
  /// Of operation 1, on each of the four devices.
  std::vector<float> of_second(Direction direction, double price) const {
    const std::vector<float> bias = pull_to_neighbours(durations_, device_of_, direction, price);
    return {bias.begin() + 4, bias.begin() + 8};
  }

  Problem problem_ = chain_problem();
  Durations durations_{problem_};
  std::vector<DeviceId> device_of_{DeviceId(2), DeviceId(0), DeviceId(3), DeviceId(3), DeviceId(3)};
};

TEST_F(NeighbourPullTest, APassFromTheStartIsPulledToReaders) {
  const auto moving = static_cast<float>(durations_.transfer_seconds(BufferId(1), DeviceId(0), DeviceId(3)));
  ASSERT_GT(moving, 0);
  EXPECT_EQ(of_second(Direction::forward, 1), (std::vector<float>{moving, moving, moving, 0}));
}

TEST_F(NeighbourPullTest, APassFromTheEndIsPulledToWhatIsRead) {
  const auto moving = static_cast<float>(durations_.transfer_seconds(BufferId(0), DeviceId(2), DeviceId(0)));
  EXPECT_EQ(of_second(Direction::backward, 1), (std::vector<float>{moving, moving, 0, moving}));
}

TEST_F(NeighbourPullTest, ThePriceCounts) {
  EXPECT_FLOAT_EQ(of_second(Direction::forward, 3).front(), 3 * of_second(Direction::forward, 1).front());
  EXPECT_EQ(of_second(Direction::forward, 0), std::vector<float>(4));
}

TEST(NeighbourPullSharedTest, ReadersOnOneDeviceShareATransfer) {
  WorkloadBuilder builder("fork");
  const BufferId made = builder.add_buffer({.name = "made", .bytes = 1e6});
  builder.add_operation({.name = "maker", .op = "MatMul", .flops = 1e9}, {}, std::span(&made, 1));
  for (const char* name : {"left", "right"}) {
    const BufferId output = builder.add_buffer({.name = name, .bytes = 1e6});
    builder.add_operation({.name = name, .op = "MatMul", .flops = 1e9}, std::span(&made, 1), std::span(&output, 1));
  }
  const Problem problem{.workload = std::move(builder).build(), .machine = load_machine("p100-4")};
  const Durations durations(problem);
  const auto moving = static_cast<float>(durations.transfer_seconds(made, DeviceId(0), DeviceId(1)));
  const auto pulls = [&](std::vector<DeviceId> device_of, Direction direction) {
    return pull_to_neighbours(durations, device_of, direction, 1);
  };
  const DeviceId zero(0), one(1), two(2);
  EXPECT_FLOAT_EQ(pulls({zero, one, one}, Direction::forward)[0], moving);
  EXPECT_FLOAT_EQ(pulls({zero, one, two}, Direction::forward)[0], 2 * moving);
  // What has to be sent there anyway costs the second one half, also while it is not there itself.
  EXPECT_FLOAT_EQ(pulls({zero, one, one}, Direction::backward)[4 + 1], moving / 2);
  EXPECT_FLOAT_EQ(pulls({zero, two, one}, Direction::backward)[4 + 1], moving / 2);
  EXPECT_FLOAT_EQ(pulls({zero, one, two}, Direction::backward)[4 + 1], moving);
}

}  // namespace
}  // namespace hone
