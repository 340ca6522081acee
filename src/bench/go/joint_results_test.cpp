#include "bench/go/joint_results.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(JointResults, FiguresAreAgainstTheBestSequence) {
  const std::vector<JointWay> ways{{.name = "default", .kind = WayKind::standard},
                                   {.name = "one", .kind = WayKind::sequence},
                                   {.name = "two", .kind = WayKind::sequence},
                                   {.name = "joint", .kind = WayKind::joint},
                                   {.name = "three", .kind = WayKind::foreseen}};
  JointRow row(ways, "graph", "machine", 10);
  row.set(0, 0, {.seconds = 10, .peak_bytes = 100});
  row.set(1, 0, {.seconds = 6, .peak_bytes = 50});
  row.set(2, 0, {.seconds = 5, .peak_bytes = 80});
  row.set(3, 0, {.seconds = 3, .peak_bytes = 85});
  row.set(3, 1, {.seconds = 5, .peak_bytes = 95});
  row.set(4, 0, {.seconds = 3.2, .peak_bytes = 80});  // in a figure of its own
  nlohmann::ordered_json summary = joint_summary(std::span(&row, 1), ways);
  EXPECT_DOUBLE_EQ(summary["joint_over_default_percent"]["value"], 60);
  EXPECT_DOUBLE_EQ(summary["joint_over_sequence_percent"]["value"], 20);
  EXPECT_DOUBLE_EQ(summary["joint_over_foreseen_percent"]["value"], -25);
  EXPECT_DOUBLE_EQ(summary["joint_peak_percent"]["value"], 100);
  row.add_within_memory({.seconds = 6, .peak_bytes = 20});  // slower than the best sequence: does not count
  row.add_within_memory({.seconds = 4.5, .peak_bytes = 60});
  summary = joint_summary(std::span(&row, 1), ways);
  EXPECT_DOUBLE_EQ(summary["joint_peak_percent"]["value"], 75);
}

}  // namespace
}  // namespace hone
