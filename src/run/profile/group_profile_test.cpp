#include "run/profile/group_profile.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "plan/simulate/simulator.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

Model two_layers() {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[32,64] x, float[64,64] w) => (float[32,64] y) {
      a = MatMul(x, w) b = Exp(a) c = MatMul(b, w) y = Exp(c)
    })",
                            "test");
  infer_types(model);
  return model;
}

TEST(GroupProfileTest, TheSimulatorTakesMeasuredTimesOfGroups) {
  const Model model = two_layers();
  const auto runtime = RuntimeKind::named("native").make("");
  const auto profile =
      profile_groups(*runtime, model, {.options = {}, .runs = 3, .inputs = given_inputs(model, {}, 0)});
  ASSERT_TRUE(profile.has_value());
  ASSERT_EQ(profile->seconds.size(), profile->plan.group_count());
  double sum = 0;
  for (const double seconds : profile->seconds) {
    EXPECT_GE(seconds, 0);
    sum += seconds;
  }
  EXPECT_GT(sum, 0);
  auto times = std::make_shared<KernelTimes>();
  add_times(*profile, *times);
  EXPECT_EQ(times->size(), profile->plan.group_count() / 2);  // both layers are alike
  Machine machine = profile->problem.machine;
  machine.kinds[0].kernel_times = times;
  Simulator simulator(std::make_shared<SimulatorTables>(profile->problem.workload, machine));
  EXPECT_NEAR(simulator.evaluate(profile->plan).seconds, sum, 1e-9);
}

TEST(GroupProfileTest, ARuntimeWithoutPlansHasNoGroups) {
  const Model model = two_layers();
  const auto runtime = RuntimeKind::named("reference").make("");
  EXPECT_FALSE(profile_groups(*runtime, model, {.options = {}, .inputs = given_inputs(model, {}, 0)}).has_value());
}

}  // namespace
}  // namespace hone
