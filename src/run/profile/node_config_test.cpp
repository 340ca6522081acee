#include "run/profile/node_config.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

TEST(NodeConfigTest, EqualOperationHasEqualTextWhateverItsNames) {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    agraph (float[2,3] x) => (float[3,2] y, float[3,2] z, float[2,3] w) {
      y = Transpose<perm = [1,0]>(x)  z = Transpose<perm = [1,0]>(x)  w = Transpose<perm = [0,1]>(x) })",
                            "test");
  infer_types(model);
  const auto config = [&](std::size_t node) { return node_config(model, NodeId(node)); };
  EXPECT_EQ(config(0), "Transpose@17(float[2,3])->(float[3,2]) {perm=[1,0]}");
  EXPECT_EQ(config(0), config(1));
  EXPECT_NE(config(0), config(2));
}

TEST(NodeConfigTest, ConstantsAreMarkedAndSmallIntegersSpelledOut) {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    agraph (float[2,3] x) => (float[6] y, float[2,3] z) <int64[1] shape = {6}, float[3] scale = {1, 2, 3}> {
      y = Reshape(x, shape)  z = Mul(x, scale) })",
                            "test");
  infer_types(model);
  EXPECT_EQ(node_config(model, NodeId(0)), "Reshape@17(float[2,3],*int64[1]=[6])->(float[6])");
  EXPECT_EQ(node_config(model, NodeId(1)), "Mul@17(float[2,3],*float[3])->(float[2,3])");
}

}  // namespace
}  // namespace hone
