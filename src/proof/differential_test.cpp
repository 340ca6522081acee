#include "proof/differential.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(DifferentialTest, RandomRewritesOfRandomGraphsChangeNoResult) {
  const FuzzReport report = fuzz_rewrites({.graphs = 500, .seed = 3});
  EXPECT_EQ(report.graphs, 500u);
  EXPECT_EQ(report.differences, 0u) << report.first;
  EXPECT_GT(report.rewrites, 1000u);
  EXPECT_LT(report.unused_rules.size(), 100u);
}

}  // namespace
}  // namespace hone
