#include "deliver/runtime_check.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

/// Small numbers among larger ones beside large ones that cancel, so that rounding is beyond a fixed tolerance.
Model sum_beside_large_numbers(std::string_view body) {
  std::vector<double> numbers;
  for (int i = 0; i < 64; ++i) numbers.push_back(i % 2 == 0 ? 0.0012345678 : 1.41421356);
  return typed_model(
      fmt::format("g (float[64] x) => (y) <float k = {{300}}, float m = {{1.1}}, float[64] v = {{{}}}>"
                  " {{ a = Mul(x, k) d = Mul(a, m) {} y = Sub(c, d) }}",
                  fmt::join(numbers, ","), body));
}

Equivalence compared_on_reference_runtime(const Model& first, const Model& second, const EquivalenceOptions& options) {
  const auto runtime = RuntimeKind::make_by("reference");
  return check_on_runtime({.model = {first, {}}, .options = {}}, {.model = {second, {}}, .options = {}}, options,
                          *runtime);
}

TEST(RuntimeCheckTest, RunsWithWeightsMovedTellWhatRoundingDoesWhereNothingElseDoes) {
  const Model original = sum_beside_large_numbers("b = Add(a, v) c = Mul(b, m)");
  const Model another_order = sum_beside_large_numbers("b = Mul(v, m) c = Add(d, b)");
  const Model fault = sum_beside_large_numbers("b = Sub(a, v) c = Mul(b, m)");
  EXPECT_FALSE(compared_on_reference_runtime(original, another_order, {.tolerance = Tolerance{1e-5, 1e-3}}).equal);
  const Equivalence same = compared_on_reference_runtime(original, another_order, {});
  EXPECT_TRUE(same.equal) << same.reason;
  ASSERT_TRUE(same.outputs[0].errors);
  EXPECT_GT(same.outputs[0].errors->candidate, 1e-5);
  const Equivalence different = compared_on_reference_runtime(original, fault, {});
  EXPECT_FALSE(different.equal);
  EXPECT_NE(different.reason.find("output 'y'"), std::string::npos) << different.reason;
}

}  // namespace
}  // namespace hone
