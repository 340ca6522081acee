#include "plan/methods/durations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

/// A longest path is as long from its start as from its end.
TEST(Durations, PathsAreAsLongFromEitherEnd) {
  const Problem problem{.workload = layered_training_workload(200, 1), .machine = load_machine("p100-4")};
  const Durations durations(problem);
  for (const TransfersOnPath transfers : {TransfersOnPath::ignored, TransfersOnPath::averaged}) {
    const std::vector<double> ahead = seconds_to_the_end(durations, transfers);
    const std::vector<double> behind = seconds_from_the_start(durations, transfers);
    EXPECT_DOUBLE_EQ(*std::ranges::max_element(ahead), *std::ranges::max_element(behind));
    double longest = 0;
    for (std::size_t i = 0; i < ahead.size(); ++i)
      longest = std::max(longest, ahead[i] + behind[i] - durations.mean_seconds(OperationId(i)));
    EXPECT_DOUBLE_EQ(longest, *std::ranges::max_element(ahead));
  }
}

TEST(Durations, NothingTakesLessThanTheShortest) {
  const Problem problem{.workload = layered_training_workload(200, 1), .machine = load_machine("p100-4")};
  const Durations durations(problem);
  double shortest = 1e9, shortest_transfer = 1e9;
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    shortest = std::min(shortest, durations.seconds(OperationId(i), DeviceId(0)));
    for (const Durations::Read& read : durations.reads(OperationId(i)))
      shortest_transfer =
          std::min(shortest_transfer, durations.transfer_seconds(read.buffer, DeviceId(0), DeviceId(1)));
  }
  EXPECT_EQ(durations.shortest_seconds(DeviceId(0)), shortest);
  EXPECT_EQ(durations.shortest_transfer_seconds(problem.machine.route(DeviceId(0), DeviceId(1))), shortest_transfer);
}

}  // namespace
}  // namespace hone
