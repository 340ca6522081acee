#include "run/native/native_plan.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/child_process.h"
#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/lower.h"
#include "plan/problem/plan_file.h"
#include "run/native/random_groups_test.h"
#include "run/runtime/runtime.h"
#include "run/verify/inputs.h"

namespace hone::native {
namespace {

/// Two branches of three operators that meet.
Model branches(const std::string& size = "64") {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[)" + size + R"(,32] x) => (float[)" +
                                size + R"(,32] y) {
      a1 = Relu(x) a2 = Exp(a1) a3 = Sigmoid(a2)
      b1 = Neg(x) b2 = Tanh(b1) b3 = Abs(b2)
      y = Add(a3, b3)
    })",
                            "test");
  infer_types(model);
  return model;
}

class NativePlanTest : public testing::Test {
 protected:
  /// A plan file for the model as it is.
  std::filesystem::path saved(const Model& model, const std::string& machine, const Plan& plan) const {
    const std::filesystem::path file = folder_.path() / "plan.json";
    save_plan(file, lower(model), load_machine(machine), plan);
    return file;
  }
  std::filesystem::path written(const std::string& text) const {
    const std::filesystem::path file = folder_.path() / "written.json";
    std::ofstream(file) << text;
    return file;
  }
  std::vector<Datum> run(const Model& model, const RuntimeOptions& options, std::size_t threads) const {
    const auto host = runtime_->start(threads);
    const auto prepared = host->prepare({model, {}}, options);
    const std::vector<Datum> inputs = given_inputs(model, {}, 3);
    prepared->set_inputs(inputs);
    prepared->run();
    return prepared->outputs();
  }
  ExitCode refusal(const Model& model, const std::filesystem::path& file) const {
    try {
      runtime_->by_plan(model, file, {});
    } catch (const InputError& error) {
      return error.code();
    }
    return ExitCode::done;
  }

  std::shared_ptr<const Runtime> runtime_ = RuntimeKind::named("native").make("");
  TemporaryFolder folder_;
};

/// Operations in these groups; group g on device g % devices, those of low numbers first.
Plan plan_with(const std::vector<std::uint32_t>& groups, std::size_t devices = 1) {
  Plan plan;
  for (const std::uint32_t group : groups) {
    plan.group_of.emplace_back(group);
    while (plan.device_of.size() <= group) {
      plan.device_of.emplace_back(plan.device_of.size() % devices);
      plan.priority.push_back(-static_cast<float>(plan.priority.size()));
    }
  }
  return plan;
}

TEST_F(NativePlanTest, GroupsAndOrderOfAPlanAreObeyed) {
  const Model model = branches();
  // Operations are a1 a2 a3 b1 b2 b3 y: the second branch first, as one kernel, the other one in two.
  const Plan plan = plan_with({1, 1, 2, 0, 0, 0, 3});
  const NativeChoice choice = choice_by_plan(model, saved(model, "native-1", plan), {});
  EXPECT_EQ(choice.plan->form, PlannedForm::as_given);
  const PlannedModel planned_model = planned(model, choice);
  ASSERT_EQ(planned_model.groups.size(), 4U);
  std::vector<std::size_t> sizes, numbers;
  for (const NodeGroup& group : planned_model.groups) {
    sizes.push_back(group.nodes.size());
    numbers.push_back(group.number.index());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 2, 1, 1}));
  EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 1, 2, 3}));
  const auto host = runtime_->start(1);
  const RuntimeOptions options = runtime_->by_plan(model, saved(model, "native-1", plan), {});
  const auto profile = host->record_kernels({model, {}}, options, given_inputs(model, {}, 3), 1);
  ASSERT_TRUE(profile.has_value());
  ASSERT_EQ(profile->kernels.size(), 4U);
  EXPECT_EQ(profile->kernels[0].op, "loop Neg+Tanh+Abs");
  EXPECT_EQ(profile->kernels[1].op, "loop Relu+Exp");
  const auto times = host->time_groups({model, {}}, std::vector{options, options}, given_inputs(model, {}, 3), 2);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[1].size(), 4U);
}

TEST_F(NativePlanTest, TheSamePlanGivesTheSameBitsOnOneLaneAndOnTwo) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const RandomGroup group = random_group(rng);
    const Workload workload = lower(group.model);
    if (workload.operation_count() == 0) continue;
    std::vector<std::uint32_t> singles(workload.operation_count());
    for (std::uint32_t i = 0; i < singles.size(); ++i) singles[i] = i;
    const Plan plan = plan_with(singles, 2);
    const RuntimeOptions options = runtime_->by_plan(group.model, saved(group.model, "native-2", plan), {});
    const std::vector<Datum> one = run(group.model, options, 1), two = run(group.model, options, 2);
    const std::vector<Datum> again = run(group.model, options, 2);
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].tensor(), two[i].tensor()) << "seed " << seed;
      EXPECT_EQ(two[i].tensor(), again[i].tensor()) << "seed " << seed;
    }
  }
}

TEST_F(NativePlanTest, APlanOfAnotherGraphIsRefused) {
  const Model model = branches(), other = branches("32");
  const std::filesystem::path file = saved(other, "native-1", plan_with({0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(refusal(other, file), ExitCode::done);
  EXPECT_EQ(refusal(model, file), ExitCode::bad_model);
}

TEST_F(NativePlanTest, APlanThatIsNotValidIsRefused) {
  const Model model = branches();
  // A branch waits for itself through the other group; what is no plan; a layout that there is not.
  EXPECT_EQ(refusal(model, saved(model, "native-1", plan_with({0, 1, 0, 2, 2, 2, 3}))), ExitCode::usage);
  EXPECT_EQ(refusal(model, written("{}")), ExitCode::usage);
  std::string text = plan_json(lower(model), load_machine("native-1"), plan_with({0, 1, 2, 3, 4, 5, 6}));
  text.insert(1, R"("native": {"layout": "diagonal"}, )");
  EXPECT_EQ(refusal(model, written(text)), ExitCode::usage);
}

TEST_F(NativePlanTest, OperatorsThatMayNotShareAKernelAreRefused) {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[8,8] x, float[8,8] w) => (float[8,8] y) { a = MatMul(x, w) y = MatMul(a, w) })",
                            "test");
  infer_types(model);
  EXPECT_EQ(refusal(model, saved(model, "native-1", plan_with({0, 0}))), ExitCode::usage);
}

TEST_F(NativePlanTest, ThePlanThatAModelRunsByCanBeSavedAndObeyed) {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,8,6,6] x) => (float[1,8,6,6] y)
    <float[8] s = {1,2,3,4,5,6,7,8}, float[8] t = {1,1,1,1,2,2,2,2}> {
      i = Identity(x)
      n = BatchNormalization(i, s, t, t, s)
      r = Relu(n)
      y = Exp(r)
    })",
                            "test");
  infer_types(model);
  const std::string text = runtime_->plan_of(model, {});
  const RuntimeOptions options = runtime_->by_plan(model, written(text), {});
  EXPECT_EQ(options.value_or(NativeChoice()).plan->form, PlannedForm::cleaned);
  const std::vector<Datum> own = run(model, {}, 1), planned_run = run(model, options, 1);
  EXPECT_EQ(own[0].tensor(), planned_run[0].tensor());
  EXPECT_EQ(runtime_->plan_of(model, options), text);
}

TEST_F(NativePlanTest, RuntimesThatObeyNoPlansSaySo) {
  const Model model = branches();
  const auto reference = RuntimeKind::named("reference").make("");
  EXPECT_THROW(reference->by_plan(model, saved(model, "native-1", plan_with({0, 1, 2, 3, 4, 5, 6})), {}), InputError);
  EXPECT_TRUE(reference->plan_of(model, {}).empty());
}

}  // namespace
}  // namespace hone::native
