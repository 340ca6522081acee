#include "run/onnxruntime/profile_file.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hone::ort {
namespace {

constexpr std::string_view kProfile = R"([
{"cat":"Session","pid":1,"tid":1,"dur":90,"ts":10,"ph":"X","name":"model_run","args":{}},
{"cat":"Node","pid":1,"tid":1,"dur":5,"ts":20,"ph":"X","name":"b_kernel_time","args":{"op_name":"Relu","output_size":"64"}},
{"cat":"Node","pid":1,"tid":1,"dur":60,"ts":11,"ph":"X","name":"a_kernel_time","args":{"op_name":"Conv","provider":"CPU",
  "input_type_shape":[{"float":[1,2]}]}},
{"cat":"Node","pid":1,"tid":1,"dur":7,"ts":30,"ph":"X","name":"c_kernel_time","args":{"op_name":"Relu"}}])";

TEST(OrtProfileTest, KernelsComeInOrderOfTheirStarts) {
  const KernelProfile profile = parse_profile(kProfile, "test");
  ASSERT_EQ(profile.kernels.size(), 3u);
  EXPECT_EQ(profile.kernels[0].node, "a");
  EXPECT_EQ(profile.kernels[0].input_types, R"([{"float":[1,2]}])");
  EXPECT_DOUBLE_EQ(profile.kernels[1].output_bytes, 64);
  ASSERT_EQ(profile.run_seconds.size(), 1u);
  EXPECT_DOUBLE_EQ(profile.run_seconds[0], 90e-6);
}

TEST(OrtProfileTest, TotalsAddUpByOperatorLongestFirst) {
  const std::vector<KernelTotal> totals = totals_by_operator(parse_profile(kProfile, "test"));
  ASSERT_EQ(totals.size(), 2u);
  EXPECT_EQ(totals[0].name, "Conv");
  EXPECT_EQ(totals[1].count, 2u);
  EXPECT_DOUBLE_EQ(totals[1].seconds, 12e-6);
}

TEST(OrtProfileTest, WarmUpRunsAreLeftOut) {
  const KernelProfile profile = parse_profile(R"([
    {"cat":"Session","name":"model_run","dur":9,"ts":0}, {"cat":"Node","name":"a_kernel_time","dur":5,"ts":1},
    {"cat":"Session","name":"model_run","dur":4,"ts":10}, {"cat":"Node","name":"a_kernel_time","dur":3,"ts":11}])",
                                              "test");
  const KernelProfile last = last_runs(profile, 1);
  EXPECT_EQ(last.run_seconds, std::vector<double>{4e-6});
  ASSERT_EQ(last.kernels.size(), 1u);
  EXPECT_DOUBLE_EQ(last.kernels[0].seconds, 3e-6);
}

TEST(OrtProfileTest, RefusesWhatIsNoProfile) {
  EXPECT_THROW(parse_profile("{}", "test"), InputError);
  EXPECT_THROW(parse_profile("[1, 2]", "test"), InputError);
  EXPECT_THROW(parse_profile("[{\"name\":", "test"), InputError);
}

}  // namespace
}  // namespace hone::ort
