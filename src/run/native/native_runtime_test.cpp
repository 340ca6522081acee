#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "graph/ir/parse.h"
#include "graph/ir/print.h"
#include "graph/ops/infer.h"
#include "run/native/native_steps_test.h"
#include "run/native/packed_product.h"
#include "run/native/random_groups_test.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"
#include "run/verify/compare.h"
#include "run/verify/inputs.h"

namespace hone::native {
namespace {

std::vector<Datum> run_natively(const Model& model, std::span<const Datum> inputs, const std::string& parameters = "") {
  const auto runtime = RuntimeKind::named("native").make(parameters);
  const auto host = runtime->start(1);
  const auto prepared = host->prepare({model, {}}, {});
  prepared->set_inputs(inputs);
  prepared->run();
  return prepared->outputs();
}

void expect_as_defined(const Model& model, std::span<const Datum> inputs, const std::string& parameters = "") {
  const std::vector<Datum> expected = ReferenceInterpreter(model).run(inputs);
  const std::vector<Datum> found = run_natively(model, inputs, parameters);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Difference difference = compare(found[i], expected[i], Tolerance{2e-4, 2e-4});
    ASSERT_TRUE(difference.within) << difference.reason << " in output " << i << " of\n" << print(model);
  }
}

/// A model in which `weights[5,4] w` stands for a constant of random elements.
Model with_weights(std::string text) {
  Rng rng(11);
  static const std::regex kWeights(R"(weights\[([0-9,]+)\] (\w+))");
  std::smatch found;
  while (std::regex_search(text, found, kWeights)) {
    std::int64_t count = 1;
    const std::string dims = found[1];
    for (std::size_t at = 0; at < dims.size(); at = dims.find(',', at) + 1) {
      count *= std::stoll(dims.substr(at));
      if (dims.find(',', at) == std::string::npos) break;
    }
    std::string elements;
    for (std::int64_t i = 0; i < count; ++i)
      elements += fmt::format("{}{:.4f}", i > 0 ? "," : "", rng.uniform(-0.5, 0.5));
    text.replace(static_cast<std::size_t>(found.position()), static_cast<std::size_t>(found.length()),
                 fmt::format("float[{}] {} = {{{}}}", dims, found[2].str(), elements));
  }
  Model model = parse_model(text, "test");
  infer_types(model);
  return model;
}

/// Random inputs, in both layouts of convolutions.
void expect_as_defined(const std::string& text) {
  const Model model = with_weights(text);
  const std::vector<Datum> inputs = given_inputs(model, {}, 7);
  for (const char* parameters : {"layout=blocks", "layout=channels-last", "groups=none"})
    expect_as_defined(model, inputs, parameters);
}

TEST(NativeRuntimeTest, RunsRandomGroupsAsDefined) {
  const char* const asked = std::getenv("HONE_RANDOM_GROUPS");  // more of them than a test should take
  const std::uint64_t groups = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 400;
  for (std::uint64_t seed = 0; seed < groups; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const RandomGroup group = random_group(rng);
    expect_as_defined(group.model, group.inputs);
    if (HasFatalFailure()) return;
  }
}

TEST(NativeRuntimeTest, RunsConvolutionsWithWhatFollows) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,5,9,11] x, float[1,20,9,11] z) => (float[1,20,9,11] y, float[1,20,5,6] p)
    <weights[20,5,3,3] w, weights[20] b, weights[20,20,3,3] v> {
      a = Conv<pads=[1,1,1,1]>(x, w, b)
      r = Relu(a)
      c = Conv<pads=[1,1,1,1]>(r, v)
      s = Add(c, z)
      y = Relu(s)
      p = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(y)
    })");
}

/// What the steps of a model are, in a line.
std::string text_of_steps(const Model& model) {
  return fmt::format("{}", fmt::join(steps_of(model, given_inputs(model, {}, 7)), "; "));
}

/// Models of a convolution, one for each way in which there is code for it, and what makes `d` of its result `c`.
std::vector<std::string> convolutions_before(const std::string& constants, const std::string& following) {
  std::vector<std::string> texts;
  for (const auto& [image, weights, attributes] :
       {std::tuple("1,20,9,14", "24,20,1,1", ""), std::tuple("1,24,9,14", "24,1,3,3", "pads=[1,1,1,1], group=24"),
        std::tuple("1,20,9,14", "24,20,3,3", "pads=[1,1,1,1]")})
    texts.push_back(fmt::format(R"(<ir_version: 8, opset_import: ["" : 18]>
      net (float[{}] x) => (float[1,24,9,14] d)
      <weights[{}] w, weights[24] b, {}> {{
        c = Conv<{}>(x, w, b)
        {}
      }})",
                                image, weights, constants, attributes, following));
  texts.push_back(fmt::format(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,32,29] x) => (float[1,64,27] d)
    <weights[64,32,3] w, {}> {{
      c = Conv(x, w)
      {}
    }})",
                              std::regex_replace(constants, std::regex("24"), "64"), following));
  return texts;
}

TEST(NativeRuntimeTest, NormalisationsGoIntoTheWeightsOfConvolutions) {
  const std::string constants = "weights[24] scale, weights[24] shift, weights[24] mean, weights[24] spread";
  const std::string following = R"(n = BatchNormalization<epsilon=1.0>(c, scale, shift, mean, spread)
        d = Relu(n))";
  for (const std::string& text : convolutions_before(constants, following)) {
    expect_as_defined(text);
    const std::string steps = text_of_steps(with_weights(text));
    EXPECT_EQ(steps.find("loop"), std::string::npos) << steps << "in\n" << text;
  }
}

TEST(NativeRuntimeTest, WeightsComputedFromConstantsAreConstants) {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,16,9,14] x) => (float[1,48,9,14] c, float[16,16,1,1] d)
    <weights[16,16,1,1] one, weights[16,16,1,1] other> {
      d = Add(one, other)
      two = Concat<axis=0>(one, d)
      w = Concat<axis=0>(two, other)
      c = Conv(x, w)
    })";
  expect_as_defined(text);
  const std::string steps = text_of_steps(with_weights(text));
  EXPECT_EQ(steps.find("direct"), std::string::npos) << steps;
}

TEST(NativeRuntimeTest, NumbersByChannelGoIntoTheWeightsOfConvolutions) {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,14,9,14] x) => (float[1,14,9,14] d)
    <weights[14,14,1,1] w, weights[1] scale, weights[14,1,1] shift, weights[14] row> {
      c = Conv(x, w)
      m = Mul(scale, c)
      a = Add(m, shift)
      d = Mul(a, row)
    })";
  expect_as_defined(text);
  // As many numbers as there are channels, but along a row.
  EXPECT_NE(text_of_steps(with_weights(text)).find("loop Mul"), std::string::npos);
}

TEST(NativeRuntimeTest, ValuesTimesAFunctionOfThemselvesAreComputedInPassing) {
  for (const char* following : {"s = Sigmoid(c)\n d = Mul(c, s)", "s = Sigmoid(c)\n d = Mul(s, c)", "d = HardSwish(c)",
                                "s = HardSigmoid<alpha=0.16666667, beta=0.5>(c)\n d = Mul(c, s)"})
    for (const std::string& text : convolutions_before("weights[1] unread", following)) {
      expect_as_defined(text);
      const std::string steps = text_of_steps(with_weights(text));
      if (!PackedProduct::is_available() || steps.find("jit") != std::string::npos) continue;  // up to oneDNN
      EXPECT_EQ(steps.find("loop"), std::string::npos) << steps << "in\n" << text;
    }
  // What somebody else reads too, or is gated by something else, is not.
  for (const char* following : {"s = Sigmoid(c)\n e = Mul(c, s)\n d = Add(s, e)",
                                "s = HardSigmoid<alpha=0.3>(c)\n d = Mul(c, s)", "s = Sigmoid(x)\n d = Mul(c, s)"})
    expect_as_defined(convolutions_before("weights[1] unread", following)[1]);
}

TEST(NativeRuntimeTest, FunctionsInPassingHoldForAllFloats) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> all = {
      0,    -0.0F, 1e-30F, 1e-5F, -1e-5F, 0.5F,      -0.5F,      3,
      -3,   20,    -20,    86.9F, -86.9F, 87.1F,     -87.1F,     104,
      -104, 1e30F, -1e30F, 3e38F, -3e38F, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()};
  for (const char* function : {"y = Sigmoid(c)", "s = Sigmoid(c)\n y = Mul(c, s)", "y = HardSwish(c)"}) {
    Model model = parse_model(fmt::format(R"(<ir_version: 8, opset_import: ["" : 18]>
      net (float[1,1,{}] x) => (float[1,1,{}] y) <float[1,1,1] w = {{1}}> {{
        c = Conv(x, w)
        {}
      }})",
                                          all.size(), all.size(), function),
                              "test");
    infer_types(model);
    const Tensor x = Tensor::of<float>(all, {1, 1, static_cast<std::int64_t>(all.size())});
    expect_as_defined(model, std::vector<Datum>{x});
  }
}

TEST(NativeRuntimeTest, JoinsChannelsOfConvolutionsInPlace) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,16,6,7] x) => (float[1,64,6,7] y, float[1,48,6,7] k)
    <weights[16,16,1,1] w, weights[32,16,3,3] v> {
      a = Conv(x, w)
      b = Conv<pads=[1,1,1,1]>(a, v)
      k = Concat<axis=1>(a, b)
      y = Concat<axis=1>(a, b, x)
    })");
}

TEST(NativeRuntimeTest, JoinsPlacesOfPointwiseConvolutions) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,20,6,7] x) => (float[1,24,6,14] y, float[1,24,12,7] z, float[1,34,6,7] k)
    <weights[24,20,1,1] w, weights[24,20,1,1] v, weights[10,20,1,1] u> {
      a = Conv(x, w)
      b = Conv(x, v)
      y = Concat<axis=3>(a, b)
      c = Conv(x, w)
      d = Conv(x, v)
      z = Concat<axis=2>(c, d)
      e = Conv(x, w)
      f = Conv(x, u)
      k = Concat<axis=1>(e, f)
    })");
}

TEST(NativeRuntimeTest, ShufflesChannelsThatFillNoBlocks) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,10,4,6] x) => (float[1,10,4,6] y)
    <weights[10,10,1,1] w, weights[10,1,3,3] d, int64[5] apart = {1,2,5,4,6}, int64[4] whole = {1,10,4,6}> {
      a = Conv(x, w)
      c = Conv<pads=[1,1,1,1], group=10>(a, d)
      s = Reshape(c, apart)
      t = Transpose<perm=[0,2,1,3,4]>(s)
      u = Reshape(t, whole)
      y = Conv(u, w)
    })");
}

TEST(NativeRuntimeTest, RunsConvolutionsAlongALine) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 20]>
    net (float[1,32,29] x) => (float[1,48,14] y, float[1,32,29] z)
    <weights[48,32,3] w, weights[48] b, weights[32,1,5] d> {
      a = Conv<strides=[2]>(x, w, b)
      y = Gelu(a)
      z = Conv<pads=[2,2], group=32>(x, d)
    })");
}

TEST(NativeRuntimeTest, RunsConvolutionsThatSeePlacesApartAndReachOverTheEnds) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 20]>
    net (float[1,32,29] x) => (float[1,48,29] y, float[1,32,17] z, float[1,32,29] far)
    <weights[48,32,3] w, weights[48] b, weights[32,48,4] v, weights[32,32,2] u> {
      a = Conv<pads=[6,0], dilations=[3]>(x, w, b)
      y = Tanh(a)
      z = Conv<pads=[5,6], dilations=[2], strides=[2]>(y, v)
      far = Conv<pads=[40,0], dilations=[40]>(x, u)
    })");
}

TEST(NativeRuntimeTest, RunsConvolutionsOfGroupsThatFillNoBlocks) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,24,7,9] x) => (float[1,24,7,9] y)
    <weights[24,4,3,3] w, weights[24] b> {
      a = Conv<pads=[1,1,1,1], group=6>(x, w, b)
      y = Relu(a)
    })");
}

TEST(NativeRuntimeTest, RunsAttention) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[1,7,24] x, float[1,1,7,7] mask) => (float[1,7,24] y)
    <weights[24,24] wq, weights[24,24] wk, weights[24,24] wv, weights[24,24] wo, weights[24] b,
     int64[4] heads = {1,7,3,8}, int64[3] flat = {1,7,24}, float scale = {0.35}> {
      q0 = MatMul(x, wq)
      q1 = Add(q0, b)
      q2 = Reshape(q1, heads)
      q = Transpose<perm=[0,2,1,3]>(q2)
      k0 = MatMul(x, wk)
      k2 = Reshape(k0, heads)
      k = Transpose<perm=[0,2,3,1]>(k2)
      v0 = MatMul(x, wv)
      v2 = Reshape(v0, heads)
      v = Transpose<perm=[0,2,1,3]>(v2)
      s0 = MatMul(q, k)
      s1 = Mul(s0, scale)
      s2 = Add(s1, mask)
      p = Softmax<axis=-1>(s2)
      o0 = MatMul(p, v)
      o1 = Transpose<perm=[0,2,1,3]>(o0)
      o2 = Reshape(o1, flat)
      o3 = MatMul(o2, wo)
      y = Add(o3, x)
    })");
}

TEST(NativeRuntimeTest, GathersRowsAndRefusesIndicesOutside) {
  const Model model = with_weights(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (int64[3] i) => (float[3,4] y) <weights[5,4] table> { y = Gather(table, i) })");
  expect_as_defined(model, std::vector<Datum>{Tensor::of<std::int64_t>({4, 0, -2}, {3})});
  EXPECT_THROW(run_natively(model, std::vector<Datum>{Tensor::of<std::int64_t>({4, 5, 0}, {3})}), InputError);
}

TEST(NativeRuntimeTest, RunsByDefinitionWhatHasNoCode) {
  expect_as_defined(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[3,5] x) => (float[3,5] y, int64[3] where) {
      r = Relu(x)
      y = Hardmax(r)
      where = ArgMax<axis=1, keepdims=0>(x)
    })");
}

TEST(NativeRuntimeTest, TakesFloatsForInputsOfBfloat16) {
  Model model;
  model.opsets.imports = {{"", 18}};
  const ValueId x = model.graph.add_input("x", Type::tensor(ElementType::bfloat16, {Dim(5)}));
  model.graph.add_output(model.graph.add(OpName::intern("", "Relu"), std::vector<ValueId>{x}));
  infer_types(model);
  const std::vector<Datum> given{Tensor::zeros(ElementType::float32, {5})};
  EXPECT_EQ(run_natively(model, given)[0].tensor(), given[0].tensor());
}

TEST(NativeRuntimeTest, GivesTheSameBitsAgain) {
  Rng rng(3);
  const RandomGroup group = random_group(rng);
  const std::vector<Datum> first = run_natively(group.model, group.inputs);
  const std::vector<Datum> second = run_natively(group.model, group.inputs);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].tensor(), second[i].tensor());
}

TEST(NativeRuntimeTest, PacksWeightsOnceThatStepsShare) {
  if (!PackedProduct::is_available()) GTEST_SKIP() << "needs AVX-512";
  const Model model = with_weights(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[4,128] x) => (float[4,128] y)
    <weights[128,128] w> {
      a = MatMul(x, w)
      b = Tanh(a)
      c = MatMul(b, w)
      y = Tanh(c)
    })");
  const auto host = RuntimeKind::named("native").make("")->start(1);
  constexpr std::size_t kWeightBytes = 128 * 128 * sizeof(float);
  const std::size_t held = host->prepare({model, {}}, {})->held_bytes();
  EXPECT_GE(held, kWeightBytes);
  EXPECT_LT(held, kWeightBytes * 3 / 2);
}

}  // namespace
}  // namespace hone::native
