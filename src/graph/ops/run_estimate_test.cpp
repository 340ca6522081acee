#include "graph/ops/run_estimate.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

RunEstimate estimate_of(const std::string& body) {
  Model model = parse_model("<ir_version: 8, opset_import: [\"\" : 17]> " + body, "estimated");
  infer_types(model);
  return estimate_run(model);
}

TEST(RunEstimateTest, CountsWhatIsAliveAtOnce) {
  const RunEstimate chain =
      estimate_of("g (float[100] x) => (float[100] y) { a = Abs(x) b = Neg(a) c = Abs(b) y = Neg(c) }");
  EXPECT_EQ(chain.peak_bytes, 3 * 400);  // the input, which its owner keeps, and two neighbours
  const RunEstimate kept = estimate_of("g (float[100] x) => (float[100] y) { a = Abs(x) b = Neg(a) y = Sum(x, a, b) }");
  EXPECT_EQ(kept.peak_bytes, 4 * 400);
}

TEST(RunEstimateTest, CountsWeightsApart) {
  const RunEstimate found =
      estimate_of("g (float[1,2] x) => (float[1,2] y) <float[2,2] w = {1,2,3,4}> { y = MatMul(x, w) }");
  EXPECT_EQ(found.weight_bytes, 16);
  EXPECT_GE(found.peak_bytes, 16);
  EXPECT_GE(found.operations, 8);
}

TEST(RunEstimateTest, WhatOverflowsIntegersIsLarge) {
  const RunEstimate found = estimate_of(
      "g (float[1000000,1000000,1000000,1000000] x) => (float[1000000,1000000,1000000,1000000] y) { y = Abs(x) }");
  EXPECT_GE(found.peak_bytes, 8e24);
  EXPECT_GE(found.operations, 1e24);
}

TEST(RunEstimateTest, ValuesWithoutStaticTypesCountNothing) {
  EXPECT_EQ(estimate_of("g (float[n] x) => (float[n] y) { y = Abs(x) }").peak_bytes, 0);
}

}  // namespace
}  // namespace hone
