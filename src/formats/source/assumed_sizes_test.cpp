#include "formats/source/assumed_sizes.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "run/reference/reference.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

Model sized_model(const std::string& text) {
  return parse_model("<ir_version: 8, opset_import: [\"\" : 17]> " + text, "sized");
}

std::string sizes_for(const std::string& text, const RunLimits& limits = {}) {
  return AssumedSizes(sized_model(text), limits).text();
}

/// Runs the model with the sizes assumed, and others as long as it refuses them.
std::string sizes_that_run(const std::string& text) {
  const Model model = sized_model(text);
  AssumedSizes sizes(model, {});
  while (true) {
    Model fixed = model;
    fix_dims(fixed, sizes.fixed());
    try {
      infer_types(fixed);
      ReferenceInterpreter(fixed).run(random_inputs(fixed, 0));
      return sizes.text();
    } catch (const InputError& error) {
      if (!sizes.take_others(error.what())) return error.what();
    }
  }
}

TEST(AssumedSizesTest, AreLikelyWhereNothingElseIsAsked) {
  EXPECT_EQ(sizes_for("g (float[n,3,h,w] x, float[n,t] y) => (float[n,3,h,w] z) { z = Abs(x) }"),
            "x:1x3x224x224 y:1x16");
  EXPECT_EQ(sizes_for("g (float[batch,224,w,3] x) => (float[batch,224,w,3] y) { y = Abs(x) }"), "x:1x224x224x3");
  EXPECT_EQ(sizes_for("g (float[2,batch,8] x) => (float[2,batch,8] y) { y = Abs(x) }"), "x:2x1x8");
}

TEST(AssumedSizesTest, WhatMeetsAWeightHasItsSize) {
  EXPECT_EQ(sizes_for("g (float[n,k] x) => (float[n,2] y) <int64[2] shape = {784,2}> "
                      "{ w = ConstantOfShape(shape) y = MatMul(x, w) }"),
            "x:1x784");
}

TEST(AssumedSizesTest, WhatIsAddedToChannelsIsAsMany) {
  EXPECT_EQ(sizes_for("g (float[n,k] x) => (float[n,k] y) <float[4] b = {1,2,3,4}> { y = Add(x, b) }"), "x:1x4");
}

TEST(AssumedSizesTest, SeveralSizesAtOneNode) {
  EXPECT_EQ(
      sizes_for("g (float[n,k,m] x) => (float[n,k,m] y) <float[2,5] b = {1,2,3,4,5,6,7,8,9,0}> { y = Add(x, b) }"),
      "x:1x2x5");
}

TEST(AssumedSizesTest, DimsWithoutANameThatHaveToBeTheSameChangeTogether) {
  EXPECT_EQ(sizes_for("g (float[n,?] x, float[n,?] z) => (float[n,4] y) <float[4] b = {1,2,3,4}> "
                      "{ s = Mul(x, z) t = Concat<axis = 0>(x, z) y = Add(t, b) }"),
            "x:1x4 z:1x4");
}

TEST(AssumedSizesTest, ASignalIsAsLongAsTheWindowOverIt) {
  const std::string text = sizes_for(
      "g (float[n,1,t] x) => (float[n,1,u] y) <int64[3] shape = {1,1,256}> "
      "{ w = ConstantOfShape(shape) p = Concat<axis = 2>(x, x) y = Conv(p, w) }");
  EXPECT_EQ(text, "x:1x1x256");
}

TEST(AssumedSizesTest, PositionsStayWithinTheirTable) {
  EXPECT_EQ(sizes_that_run("g (int64[n,t] ids) => (float[n,t,1] y) "
                           "<float[8,1] table = {0,1,2,3,4,5,6,7}, int64 zero = {0}, int64 one = {1}> "
                           "{ s = Shape(ids) l = Gather(s, one) p = Range(zero, l, one) "
                           "  e = Gather(table, p) w = Gather(table, ids) y = Add(w, e) }"),
            "ids:1x8");
}

TEST(AssumedSizesTest, AnInputWithoutAShapeHasARankThatItsReadersTake) {
  EXPECT_EQ(sizes_for("g (float x) => (float y) { y = Abs(x) }"), "");
  Model model = sized_model(
      "g (float[n,1,4,4] x) => (float[n,1,4,4] y) <float[1,1,3,3] w = {1,1,1,1,1,1,1,1,1}> "
      "{ y = Conv(x, w) }");
  model.graph.set_type(model.graph.inputs()[0], Type::tensor(ElementType::float32));
  EXPECT_EQ(AssumedSizes(model, {}).text(), "x:1x1x224x224");
}

TEST(AssumedSizesTest, AreSmallEnoughToRun) {
  const std::string wide = "g (float[a,b,c,d,e,f,i,j,k] x) => (float[a,b,c,d,e,f,i,j,k] y) { y = Abs(x) }";
  EXPECT_EQ(sizes_for(wide), "x:1x2x2x2x2x2x2x2x2");
  EXPECT_EQ(sizes_for("g (float[n,3,h,w] x) => (float[n,3,h,w] y) { y = Abs(x) }", {.bytes = 4e5}), "x:1x3x112x112");
  EXPECT_EQ(sizes_for("g (float[n,3,h,w] x) => (float[n,3,h,w] y) { y = Abs(x) }", {.operations = 1e5}), "x:1x3x56x56");
}

TEST(AssumedSizesTest, StayConsistentWhenTheyBecomeSmaller) {
  const std::string text =
      sizes_for("g (float[n,t,k] x) => (float[n,t,4] y) <float[4] b = {1,2,3,4}> { y = Add(x, b) }", {.bytes = 200});
  EXPECT_EQ(text, "x:1x4x4");
}

TEST(AssumedSizesTest, WhatNothingFitsIsTold) {
  const Model model = sized_model(
      "g (float[n,k] x) => (float[n,k] y) <float[3] a = {1,2,3}, float[4] b = {1,2,3,4}> "
      "{ s = Add(x, a) y = Add(s, b) }");
  AssumedSizes sizes(model, {});
  EXPECT_FALSE(sizes.empty());
  EXPECT_FALSE(sizes.fit());
}

}  // namespace
}  // namespace hone
