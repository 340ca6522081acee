#include "run/native/attention.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "run/native/native_steps_test.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"
#include "run/verify/compare.h"
#include "run/verify/inputs.h"

namespace hone::native {
namespace {

Model typed_model(const std::string& text) {
  Model model = parse_model(text, "test");
  infer_types(model);
  return model;
}

/// Three heads of 300 queries and 512 keys, with a mask a key and something added a query and key.
const char* const kMasked = R"(<ir_version: 8, opset_import: ["" : 18]>
  net (float[2,300,3,8] q, float[2,3,8,512] k, float[2,3,512,16] v, bool[2,1,1,512] m, float[1,3,300,512] b)
    => (float[2,300,48] y)
  <float scale = {0.3}, float low = {-1000.0}, int64[3] shape = {2,300,48}> {
    qt = Transpose<perm=[0,2,1,3]>(q)
    s = MatMul(qt, k)
    scaled = Mul(s, scale)
    biased = Add(scaled, b)
    masked = Where(m, biased, low)
    p = Softmax<axis=-1>(masked)
    o = MatMul(p, v)
    t = Transpose<perm=[0,2,1,3]>(o)
    y = Reshape(t, shape)
  })";

std::vector<Datum> run_attention(const Model& model, std::span<const Datum> inputs, std::size_t threads) {
  const auto host = RuntimeKind::named("native").make("")->start(threads);
  const auto prepared = host->prepare({model, {}}, {});
  prepared->set_inputs(inputs);
  return prepared->outputs();
}

void expect_attention_as_defined(const Model& model, std::span<const Datum> inputs) {
  const Difference difference =
      compare(run_attention(model, inputs, 1)[0], ReferenceInterpreter(model).run(inputs)[0], Tolerance{1e-4, 1e-4});
  EXPECT_TRUE(difference.within) << difference.reason;
}

TEST(NativeAttentionTest, ComputesWhatIsDefinedInBlocksOfRows) {
  const Model model = typed_model(kMasked);
  const std::vector<Datum> inputs = given_inputs(model, {}, 3);
  expect_attention_as_defined(model, inputs);
  EXPECT_EQ(steps_of(model, inputs), std::vector<std::string>{"band of 100 rows MatMul+Mul+Add+Where+Softmax+MatMul"});
}

TEST(NativeAttentionTest, GivesTheSameBitsOnTwoThreads) {
  const Model model = typed_model(kMasked);
  const std::vector<Datum> inputs = given_inputs(model, {}, 3);
  const auto one = run_attention(model, inputs, 1), two = run_attention(model, inputs, 2);
  EXPECT_TRUE(std::ranges::equal(one[0].tensor().bytes(), two[0].tensor().bytes()));
}

TEST(NativeAttentionTest, LeavesScoresAloneThatAreWantedElsewhere) {
  const Model model = typed_model(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[2,20,8] q, float[2,8,24] k, float[2,24,5] v) => (float[2,20,5] y, float[2,20,24] p) {
      s = MatMul(q, k)
      p = Softmax<axis=-1>(s)
      y = MatMul(p, v)
    })");
  for (const NodeId id : model.graph.nodes()) EXPECT_FALSE(find_attention(model, id));
  expect_attention_as_defined(model, given_inputs(model, {}, 3));
}

TEST(NativeAttentionTest, LeavesColumnsAloneThatAreFolded) {
  const Model model = typed_model(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[2,20,8] q, float[2,8,24] k, float[2,24,5] v) => (float[2,20,5] y) {
      s = MatMul(q, k)
      p = Softmax<axis=1>(s)
      y = MatMul(p, v)
    })");
  for (const NodeId id : model.graph.nodes()) EXPECT_FALSE(find_attention(model, id));
  expect_attention_as_defined(model, given_inputs(model, {}, 3));
}

}  // namespace
}  // namespace hone::native
