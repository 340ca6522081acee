#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer_so_far.h"

namespace hone {
namespace {

Model model_to_infer(const std::string& input) {
  return parse_model("<ir_version: 8, opset_import: [\"\" : 17]> g (float" + input +
                         " x) => (float[n,4] y) <float[4] b = {1,2,3,4}> { a = Abs(x) s = Add(a, b) y = Neg(s) }",
                     "inferred");
}

TEST(InferSoFarTest, EndsAtTheFirstNodeThatRefuses) {
  Model model = model_to_infer("[2,3]");
  const InferredSoFar found = infer_types_so_far(model);
  EXPECT_EQ(found.nodes, 1u);
  ASSERT_TRUE(found.refusing.valid());
  EXPECT_TRUE(model.graph.node(found.refusing).op->is("Add"));
  EXPECT_NE(found.refusal.find("[2,3]"), std::string::npos) << found.refusal;
  EXPECT_TRUE(model.graph.value(*model.graph.find_value("a")).type.is_static_tensor());
}

TEST(InferSoFarTest, InfersAllOfWhatFits) {
  Model model = model_to_infer("[2,4]");
  const InferredSoFar found = infer_types_so_far(model);
  EXPECT_EQ(found.nodes, 3u);
  EXPECT_FALSE(found.refusing.valid());
  EXPECT_TRUE(found.refusal.empty());
  EXPECT_TRUE(model.graph.value(*model.graph.find_value("y")).type.is_static_tensor());
}

}  // namespace
}  // namespace hone
