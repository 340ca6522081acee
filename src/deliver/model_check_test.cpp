#include "deliver/model_check.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "deliver/package.h"
#include "graph/clean/clean_case_test.h"
#include "graph/ir/node_notes.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

/// Runs models on the reference interpreter, with a meaning for acme.Op that hone itself does not know: Neg.
class AcmeModel : public PreparedModel {
 public:
  explicit AcmeModel(Model model) : model_(std::move(model)) {
    Function function;
    function.op = OpName::intern("acme", "Op");
    function.opsets = model_.opsets;
    const ValueId x = function.body.add_input("x", {});
    function.body.add_output(function.body.add(OpName::intern("", "Neg"), std::span(&x, 1)));
    model_.functions.push_back(std::move(function));
  }
  void set_inputs(std::span<const Datum> inputs) override { inputs_.assign(inputs.begin(), inputs.end()); }
  void run() override { outputs(); }
  std::vector<Datum> outputs() override { return ReferenceInterpreter(model_).run(inputs_); }

 private:
  Model model_;
  std::vector<Datum> inputs_;
};

class AcmeHost : public RuntimeHost {
 public:
  std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions&) const override {
    return std::make_unique<AcmeModel>(model.model);
  }
  std::unique_ptr<PreparedModel> prepare_as_written(Model model) const override {
    return std::make_unique<AcmeModel>(std::move(model));
  }
};

class AcmeRuntime : public Runtime {
 public:
  std::string name() const override { return "acme"; }
  std::string title() const override { return "Acme"; }
  ModelForm takes() const override { return ModelForm::graph; }
  std::unique_ptr<RuntimeHost> start(std::size_t) const override { return std::make_unique<AcmeHost>(); }
};

constexpr std::string_view kUnknownInside = R"(g (float[2] x) => (float[2] y) <float one = {1}> {
  i = Identity(x)  a = Mul(i, one)  u = acme.Op(a)  y = Add(u, u) })";

DeliveryRequest request_with(std::shared_ptr<const Runtime> checker) {
  DeliveryRequest request{.effort = DeliveryEffort::quick, .checker = std::move(checker)};
  request.make_static = [](Model& model) { infer_types(model); };
  return request;
}

ModelCheck check_of(std::string_view graph, std::shared_ptr<const Runtime> checker) {
  return {typed_model(graph), request_with(std::move(checker)), {.random_inputs = 2}};
}

TEST(ModelCheckTest, TheReferenceInterpreterComparesWhatItRuns) {
  const ModelCheck check = check_of("g (float[2] x) => (y) { y = Neg(x) }", nullptr);
  EXPECT_EQ(check.where(), "reference interpreter");
  EXPECT_EQ(check.obstacle(), "");
  EXPECT_FALSE(check.compare(typed_model("g (float[2] x) => (y) { y = Abs(x) }")).equal);
}

TEST(ModelCheckTest, ARuntimeComparesWhatOnlyItRuns) {
  const ModelCheck check = check_of(kUnknownInside, std::make_shared<AcmeRuntime>());
  EXPECT_EQ(check.where(), "Acme");
  EXPECT_NE(check.obstacle().find("acme.Op"), std::string::npos);
  const Equivalence same = check.compare(
      typed_model("g (float[2] x) => (float[2] y) <float two = {2}> { u = acme.Op(x)  y = Mul(u, two) }"));
  EXPECT_TRUE(same.equal) << same.reason;
  EXPECT_EQ(same.inputs_tried, 2u);
  EXPECT_FALSE(check.compare(typed_model("g (float[2] x) => (float[2] y) { u = acme.Op(x)  y = Mul(u, u) }")).equal);
  EXPECT_FALSE(check.compare(typed_model("g (float[2] x) => (float[2] y) { y = acme.Other(x) }")).equal);
}

TEST(ModelCheckTest, WhatNothingRunsIsNotCompared) {
  for (const std::string_view graph :
       {kUnknownInside, std::string_view("g (float[2,3] x, int64[1] to) => (float[N] y) { y = Reshape(x, to) }")}) {
    const ModelCheck check = check_of(graph, nullptr);
    EXPECT_FALSE(check.compares());
    EXPECT_NE(check.obstacle(), "");
  }
  const ModelCheck neither =
      check_of("g (float[2] x) => (float[2] y) { y = acme.Other(x) }", std::make_shared<AcmeRuntime>());
  EXPECT_FALSE(neither.compares());
  EXPECT_NE(neither.obstacle().find("Acme: does not run"), std::string::npos) << neither.obstacle();
}

TEST(ModelCheckTest, AModelThatFailsWhateverItIsGivenIsRefused) {
  EXPECT_THROW(check_of("g () => (y) <float[2] x = {1,2}, int64 at = {5}> { y = Gather(x, at) }", nullptr), InputError);
}

TEST(ModelCheckTest, AQuickDeliveryDoesNotWaitForHours) {
  const ModelCheck check = check_of("g (float[100000,10000] x, float[10000,10000] w) => (y) { y = MatMul(x, w) }",
                                    std::make_shared<AcmeRuntime>());
  EXPECT_FALSE(check.compares());
  EXPECT_NE(check.obstacle().find("-O2"), std::string::npos) << check.obstacle();
}

TEST(ModelCheckTest, SizesThatTheUserChoseAndThatDoNotFitAreRefused) {
  DeliveryRequest request = request_with(nullptr);
  request.make_static = [](Model& model) {
    fix_dims(model, {.symbols = {{"N", 5}}, .inputs = {}});
    infer_types(model);
  };
  const Model model = typed_model("g (float[2,N] x) => (y) <float[3,1] w = {1,2,3}> { y = MatMul(x, w) }");
  EXPECT_THROW(ModelCheck(model, request, {}), InputError);
  request.assumes_sizes = true;
  EXPECT_FALSE(ModelCheck(model, request, {}).compares());
}

TEST(ModelCheckTest, WithoutComparisonOnlyCleanUpIsDeliveredAndSaid) {
  const DeliveryRequest alone = request_with(nullptr);
  const Delivery delivery = deliver(typed_model(kUnknownInside, 10), alone);
  EXPECT_TRUE(delivery.correct());
  EXPECT_EQ(delivery.checked_on, "");
  EXPECT_EQ(operators(delivery.chosen.model->graph), "acme.Op Add");
  ASSERT_EQ(delivery.chosen.steps.size(), 1u);
  EXPECT_EQ(delivery.chosen.steps[0].name, "clean-up");
  const Model written = packaged(delivery, alone);
  EXPECT_NE(std::ranges::find(written.notes->metadata, Entry("hone.verified", "not compared")),
            written.notes->metadata.end());
}

TEST(ModelCheckTest, ComparedOnARuntimeTheRestIsOptimised) {
  const Model original = typed_model(R"(g (float[1,1,3,3] x) => (float[1,2,3,3] y)
    <float[2,1,1,1] w = {1,2}, float[2] s = {1,2}, float[2] t = {0,1}, float[2] m = {1,1}, float[2] v = {4,1}> {
      c = Conv(x, w)  n = BatchNormalization(c, s, t, m, v)  y = acme.Op(n) })");
  const Delivery delivery = deliver(original, request_with(std::make_shared<AcmeRuntime>()));
  EXPECT_TRUE(delivery.correct());
  EXPECT_EQ(delivery.checked_on, "Acme");
  EXPECT_EQ(operators(delivery.chosen.model->graph), "Conv acme.Op");
}

}  // namespace
}  // namespace hone
