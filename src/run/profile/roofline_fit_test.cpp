#include "run/profile/roofline_fit.h"

#include <gtest/gtest.h>

#include <set>

namespace hone {
namespace {

TimedEffort convolution(double flops, double seconds) {
  return {.effort = {.operation_class = OperationClass::convolution, .flops = flops, .bytes = 1}, .seconds = seconds};
}

TEST(RooflineFitTest, ConvolutionsReachWhatWasMeasured) {
  const DeviceKind kind{.name = "cpu", .bytes_per_second = 1e9, .flops = {{ElementType::float32, 1e9}}};
  const std::vector<TimedEffort> timings{convolution(1e6, 4e-3), convolution(1e6, 4e-3), convolution(1e6, 9.0),
                                         convolution(1e9, 2.0)};
  const DeviceKind fitted = fit_efficiency(kind, timings);
  const EfficiencyCurve& curve = fitted.flops_efficiency[static_cast<std::size_t>(OperationClass::convolution)];
  EXPECT_TRUE(fitted.is_measured[static_cast<std::size_t>(OperationClass::convolution)]);
  EXPECT_FALSE(fitted.is_measured[static_cast<std::size_t>(OperationClass::matmul)]);
  ASSERT_EQ(curve.points().size(), 2u);
  EXPECT_DOUBLE_EQ(curve.at(1e6), 0.25);
  EXPECT_DOUBLE_EQ(curve.at(1e9), 0.5);
}

TEST(RooflineFitTest, OperationThatMovesBytesIsJudgedByBytes) {
  const DeviceKind kind{.name = "cpu", .bytes_per_second = 1e9, .flops = {{ElementType::float32, 1e9}}};
  const std::vector<TimedEffort> timings{
      {.effort = {.operation_class = OperationClass::pointwise, .flops = 5, .bytes = 1e6}, .seconds = 5e-4}};
  const DeviceKind fitted = fit_efficiency(kind, timings);
  EXPECT_DOUBLE_EQ(fitted.bytes_efficiency[static_cast<std::size_t>(OperationClass::pointwise)].at(1e6), 2);
}

TEST(RooflineFitTest, OperatorsOfEveryClassAreTimed) {
  const std::shared_ptr<const Runtime> runtime = usual_runtime();
  if (!runtime->available()) GTEST_SKIP() << "needs " << runtime->title() << ": " << runtime->install_command();
  std::set<OperationClass> classes;
  for (const TimedEffort& timing : time_operators(*runtime, 1)) {
    EXPECT_GE(timing.seconds, 0);
    classes.insert(timing.effort.operation_class);
  }
  for (const OperationClass wanted : {OperationClass::matmul, OperationClass::convolution, OperationClass::pointwise,
                                      OperationClass::reduction, OperationClass::movement})
    EXPECT_TRUE(classes.contains(wanted)) << name_of(wanted);
}

}  // namespace
}  // namespace hone
