#include "deliver/reference_check.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

TEST(ReferenceCheckTest, SaysWhichModelsComputeTheSameOnEveryInput) {
  const ReferenceCheck check(typed_model("g (float[2] x) => (y) { y = Add(x, x) }"), {.random_inputs = 3});
  const Equivalence same = check.compare(typed_model("g (float[2] x) => (y) <float k = {2}> { y = Mul(x, k) }"));
  EXPECT_TRUE(same.equal);
  EXPECT_EQ(same.inputs_tried, 3u);
  EXPECT_FALSE(check.compare(typed_model("g (float[2] x) => (y) { y = Mul(x, x) }")).equal);
}

TEST(ReferenceCheckTest, WhatDoesNotRunIsNotEqual) {
  const ReferenceCheck check(typed_model("g (float[2] x) => (y) { y = Relu(x) }"), {});
  const Equivalence found =
      check.compare(typed_model("g (float[2] x) => (y) <int64[2] at = {0,5}> { y = Gather(x, at) }"));
  EXPECT_FALSE(found.equal);
  EXPECT_NE(found.reason.find("does not run"), std::string::npos);
}

TEST(ReferenceCheckTest, AnOriginalThatTheDrawnInputsDoNotSuitIsRefusedWithAHint) {
  const Model needs_a_shape = typed_model("g (float[2,3] x, int64[1] to) => (float[N] y) { y = Reshape(x, to) }");
  try {
    ReferenceCheck(needs_a_shape, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--input gives others"), std::string::npos);
  }
}

}  // namespace
}  // namespace hone
