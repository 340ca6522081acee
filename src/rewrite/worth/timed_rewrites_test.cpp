#include "rewrite/worth/timed_rewrites.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

const std::vector<KernelSum> kKernels = {
    {.op = "com.microsoft.nchwc.Conv", .sort = "convolution", .count = 2, .seconds = 3},
    {.op = "com.microsoft.nchwc.ReorderOutput", .sort = "movement", .count = 1, .seconds = 0.5},
    {.op = "Softmax", .sort = "reduction", .count = 1, .seconds = 0.25}};

TEST(TimedRewritesTest, KernelsAreSortedByTheirOperatorElseByTheirWork) {
  const TimeParts parts = parts_of_kernels(kKernels, 0.125);
  EXPECT_EQ(parts[TimePart::spatial_convolution], 3);
  EXPECT_EQ(parts[TimePart::transpose], 0.5);
  EXPECT_EQ(parts[TimePart::softmax], 0.25);
  EXPECT_EQ(parts[TimePart::other], 0.125);
  EXPECT_EQ(parts[TimePart::kernels], 4 * kKernelSeconds);
  EXPECT_EQ(parts.sum_of_nodes(), 3.875);
}

TEST(TimedRewritesTest, OperatorsStandInWhereKernelsAreNotKnown) {
  TimedRewrite rewrite;
  rewrite.timed[TimePart::softmax] = 7;
  EXPECT_EQ(parts_by(PartPrices::executed, rewrite)[TimePart::softmax], 7);
  rewrite.executed = kKernels;
  EXPECT_EQ(parts_by(PartPrices::executed, rewrite)[TimePart::softmax], 0.25);
}

}  // namespace
}  // namespace hone
