#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/allocation_count.h"
#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"
#include "run/verify/compare.h"
#include "run/verify/inputs.h"

// Operators of all kinds and types: as the reference interpreter has them, with code of their own.

namespace hone::native {
namespace {

Model one_graph(const std::string& signature, const std::string& body, int opset) {
  Model model = parse_model(
      fmt::format("<ir_version: 8, opset_import: [\"\" : {}]> net {} {{ {} }}", opset, signature, body), "test");
  infer_types(model);
  return model;
}

std::unique_ptr<PreparedModel> made_ready(const Model& model) {
  static const auto host = RuntimeKind::named("native").make("")->start(1);
  return host->prepare({model, {}}, {});
}

void expect_alike(const std::vector<Datum>& found, const std::vector<Datum>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool real = is_floating(expected[i].tensor().type());
    const bool half = real && bit_width(expected[i].tensor().type()) < 32;
    const Difference difference = compare(found[i], expected[i],
                                          half   ? Tolerance{2e-3, 1e-2}
                                          : real ? Tolerance{2e-5, 2e-5}
                                                 : Tolerance{});
    EXPECT_TRUE(difference.within) << difference.reason << " in output " << i << " of " << what;
  }
}

/// With code of its own, equal to the reference interpreter, and without allocating once it has run.
void expect_code(const std::string& signature, const std::string& body, int opset = 18) {
  const Model model = one_graph(signature, body, opset);
  for (const std::uint64_t seed : {1, 2}) {
    const std::vector<Datum> inputs = given_inputs(model, {}, seed);
    const auto prepared = made_ready(model);
    prepared->set_inputs(inputs);
    prepared->run();
    const std::uint64_t before = allocation_count();
    prepared->run();
    EXPECT_EQ(allocation_count(), before) << body;
    EXPECT_TRUE(prepared->by_definition().empty())
        << fmt::format("{}", fmt::join(prepared->by_definition(), " ")) << " in " << body;
    expect_alike(prepared->outputs(), ReferenceInterpreter(model).run(inputs), body);
  }
}

TEST(NativeOperatorsTest, ComputesWithAllTypesOfElements) {
  for (const char* type : {"float", "double", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8",
                           "uint16", "uint32", "uint64"}) {
    expect_code(fmt::format("({0}[3,5] a, {0}[5] b) => ({0}[3,5] y)", type),
                "s = Add(a, b)  m = Mul(s, a)  y = Max(m, b)");
    expect_code(fmt::format("({0}[3,5] a, {0}[3,1] b) => (bool[3,5] y, {0}[3,5] z)", type),
                "y = Less(a, b)  z = Where(y, a, b)");
    expect_code(fmt::format("({0}[2,4,3] a) => ({0}[3,2,4] y)", type), "y = Transpose<perm=[2,0,1]>(a)");
    expect_code(fmt::format("({0}[2,4,3] a) => ({0}[2,1,3] y) <int64[1] axes = {{1}}>", type),
                "y = ReduceSum(a, axes)");
  }
}

TEST(NativeOperatorsTest, CastsBetweenAllTypes) {
  const char* types[] = {"float", "double", "float16", "bfloat16", "int8",   "int16",
                         "int32", "int64",  "uint8",   "uint16",   "uint32", "bool"};
  for (const char* from : types)
    for (const char* to : types)
      expect_code(fmt::format("({}[37] x, {}[1] like) => ({}[37] y)", from, to, to), "y = CastLike(x, like)", 19);
}

/// What an operator gives is what its type can hold, also where it is not stored.
TEST(NativeOperatorsTest, WrapsIntegersBetweenOperators) {
  const Model model = one_graph("(int8[4] x) => (int8[4] y)", "a = Add(x, x)  y = Div(a, x)", 18);
  const std::vector<Datum> inputs{Tensor::of<std::int8_t>({100, -100, 64, 3}, {4})};
  const auto prepared = made_ready(model);
  prepared->set_inputs(inputs);
  EXPECT_TRUE(prepared->by_definition().empty());
  EXPECT_EQ(prepared->outputs()[0].tensor(), ReferenceInterpreter(model).run(inputs)[0].tensor());
}

/// A cast to fewer digits loses them, also in the middle of a group.
TEST(NativeOperatorsTest, RoundsWhereACastSaysSo) {
  const Model model = one_graph("(float[3] x) => (float[3] y)",
                                "a = Mul(x, x)  h = Cast<to=10>(a)  b = Cast<to=1>(h)  y = Sub(a, b)", 18);
  const std::vector<Datum> inputs{Tensor::of<float>({1.001F, 3.0007F, 100.1F}, {3})};
  const auto prepared = made_ready(model);
  prepared->set_inputs(inputs);
  expect_alike(prepared->outputs(), ReferenceInterpreter(model).run(inputs), "casts");
  EXPECT_NE(prepared->outputs()[0].tensor().number_at(1), 0);
}

TEST(NativeOperatorsTest, KnowsFunctionsOfReals) {
  for (const char* op :
       {"Elu", "Selu", "Celu", "ThresholdedRelu", "Shrink", "Tan", "Sinh", "Cosh", "Atan", "Asinh", "Mish", "Hardmax"})
    expect_code("(float[7,9] x) => (float[7,9] y)", fmt::format("y = {}(x)", op));
  for (const char* op : {"Asin", "Acos", "Atanh"})
    expect_code("(float[7,9] x) => (float[7,9] y)", fmt::format("t = Tanh(x)  y = {}(t)", op));
  expect_code("(float[7,9] x) => (float[7,9] y)", "t = Exp(x)  u = Cosh(t)  y = Acosh(u)");
  expect_code("(float[7,9] x) => (bool[7,9] y)", "t = Log(x)  y = IsInf(t)");
}

TEST(NativeOperatorsTest, KnowsBitsAndRemainders) {
  for (const char* type : {"uint8", "uint16", "uint32", "uint64"})
    for (const char* direction : {"LEFT", "RIGHT"})
      expect_code(fmt::format("({0}[40] a, {0}[40] b) => ({0}[40] y)", type),
                  fmt::format("y = BitShift<direction=\"{}\">(a, b)", direction));
  for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    expect_code("(int16[40] a, int16[40] b) => (int16[40] y)", fmt::format("y = {}(a, b)", op));
  expect_code("(uint8[40] a) => (uint8[40] y)", "y = BitwiseNot(a)");
  for (const char* type : {"int8", "int32", "int64", "uint8"})
    expect_code(fmt::format("({0}[40] a, {0}[40] b) => ({0}[40] y, {0}[40] z)", type),
                "y = Mod(a, b)  z = Mod<fmod=1>(a, b)");
}

TEST(NativeOperatorsTest, FindsPlaces) {
  for (const auto& [attributes, dims] : {std::pair("axis=0", "1,4,5"), std::pair("axis=1, keepdims=0", "3,5"),
                                         std::pair("axis=2, select_last_index=1", "3,4,1")})
    for (const char* op : {"ArgMax", "ArgMin"})
      expect_code(fmt::format("(float[3,4,5] x, int8[3,4,5] i) => (int64[{0}] y, int64[{0}] z)", dims),
                  fmt::format("y = {0}<{1}>(x)  z = {0}<{1}>(i)", op, attributes));
  expect_code("(float[2,3,9] x) => (float[2,3,4] y, int64[2,3,4] i) <int64[1] k = {4}>", "y, i = TopK(x, k)");
  expect_code("(float[2,9,3] x) => (float[2,4,3] y, int64[2,4,3] i) <int64[1] k = {4}>",
              "y, i = TopK<axis=1, largest=0>(x, k)");
  expect_code("(int64[2,3] x, float[2] v) => (float[2,5,3] y) <int64 depth = {5}>", "y = OneHot<axis=1>(x, depth, v)");
  expect_code("(float[3,4,5] x) => (float[3,4,5] y, float[3,4,5] z) <int64 k = {-1}>",
              "y = Trilu(x, k)  z = Trilu<upper=0>(x)");
}

TEST(NativeOperatorsTest, GathersAndScatters) {
  expect_code("(float[3,4] x, int64[3,2] i) => (float[3,2] y)", "y = GatherElements<axis=1>(x, i)");
  expect_code("(double[3,4] x, int32[5,4] i) => (double[5,4] y)", "y = GatherElements(x, i)");
  expect_code("(float[2,3,4] x, int64[5,2] i) => (float[5,4] y)", "y = GatherND(x, i)");
  expect_code("(float[2,3,4] x, int64[2,5,1] i) => (float[2,5,4] y)", "y = GatherND<batch_dims=1>(x, i)");
  for (const char* how : {"none", "add", "mul"}) {
    expect_code("(float[3,4] x, int64[1,4] i, float[1,4] u) => (float[3,4] y)",
                fmt::format("y = ScatterElements<reduction=\"{}\">(x, i, u)", how));
    expect_code("(float[5,4] x, int64[1,1] i, float[1,4] u) => (float[5,4] y)",
                fmt::format("y = ScatterND<reduction=\"{}\">(x, i, u)", how));
  }
}

TEST(NativeOperatorsTest, ScansAlongAxes) {
  for (const char* type : {"float", "double", "int32", "int64"})
    for (const char* attributes : {"exclusive=0", "exclusive=1", "reverse=1", "exclusive=1, reverse=1"})
      expect_code(fmt::format("({0}[3,4,5] x) => ({0}[3,4,5] y) <int64 axis = {{1}}>", type),
                  fmt::format("y = CumSum<{}>(x, axis)", attributes));
}

TEST(NativeOperatorsTest, ResizesAndPads) {
  for (const char* mode : {"nearest", "linear", "cubic"})
    for (const char* where : {"half_pixel", "align_corners", "asymmetric"})
      expect_code(
          "(float[1,2,5,6] x) => (float[1,2,8,9] y) <int64[4] sizes = {1,2,8,9}>",
          fmt::format("y = Resize<mode=\"{}\", coordinate_transformation_mode=\"{}\">(x, , , sizes)", mode, where));
  for (const char* mode : {"constant", "edge", "reflect", "wrap"})
    expect_code("(float[3,6] x, float v) => (float[6,6] y) <int64[4] pads = {1,2,2,-2}>",
                fmt::format("y = Pad<mode=\"{}\">(x, pads, v)", mode), 19);
}

TEST(NativeOperatorsTest, QuantizesAndMultipliesIntegers) {
  expect_code("(float[3,4] x) => (uint8[3,4] y, float[3,4] z) <float s = {0.1}, uint8 o = {7}>",
              "y = QuantizeLinear(x, s, o)  z = DequantizeLinear(y, s, o)");
  expect_code("(float[3,4] x) => (int8[3,4] y, float[3,4] z) <float[4] s = {0.1,0.2,0.3,0.4}, int8[4] o = {1,-2,3,4}>",
              "y = QuantizeLinear<axis=1>(x, s, o)  z = DequantizeLinear<axis=1>(y, s, o)");
  expect_code("(float[3,4] x) => (uint8[3,4] y, float s, uint8 o)", "y, s, o = DynamicQuantizeLinear(x)");
  expect_code("(uint8[3,4] a, int8[4,5] b, uint8 o, int8 p) => (int32[3,5] y)", "y = MatMulInteger(a, b, o, p)");
  expect_code("(uint8[1,2,5,5] x, uint8[3,2,3,3] w, uint8 o) => (int32[1,3,3,3] y)", "y = ConvInteger(x, w, o)");
  for (const char* type : {"double", "int32", "uint64", "float16"})
    expect_code(fmt::format("({0}[2,3,4] a, {0}[4,5] b) => ({0}[2,3,5] y)", type), "y = MatMul(a, b)");
}

TEST(NativeOperatorsTest, ConvolvesWithWeightsThatAreNotConstant) {
  expect_code("(float[2,4,6,7] x, float[6,2,3,3] w, float[6] b) => (float[2,6,6,7] y)",
              "y = Conv<group=2, pads=[1,1,1,1]>(x, w, b)");
  expect_code("(float[1,2,9] x, float[3,2,3] w) => (float[1,3,4] y)", "y = Conv<strides=[2]>(x, w)");
  expect_code("(float[1,4,5,6] x, float[4,3,3,2] w, float[6] b) => (float[1,6,y,z] y)",
              "y = ConvTranspose<group=2, strides=[2,1], pads=[1,0,1,0], output_padding=[1,0]>(x, w, b)");
}

/// So many constants of no pattern, as text.
std::string constants_text(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}{:.3f}", i == 0 ? "" : ",", std::sin(1 + i * i % 97));
  return text;
}

TEST(NativeOperatorsTest, ConvolvesWithConstantWeights) {
  const std::string weights = fmt::format("<float[4,3,3,2] w = {{{}}}, float[6] b = {{{}}}, float[3] c = {{{}}}>",
                                          constants_text(72), constants_text(6), constants_text(3));
  for (const char* attributes : {"strides=[3,2]", "strides=[2,1], pads=[1,0,1,0], output_padding=[1,0]",
                                 "dilations=[2,1], pads=[0,1,2,0]", "strides=[2,2], output_shape=[11,12]"}) {
    expect_code("(float[2,4,5,6] x) => (float[2,6,y,z] y) " + weights,
                fmt::format("y = ConvTranspose<group=2, {}>(x, w, b)", attributes));
    expect_code("(float[2,4,5,6] x) => (float[2,3,y,z] y) " + weights,
                fmt::format("y = ConvTranspose<{}>(x, w, c)", attributes));
  }
  expect_code("(float[2,3,7,6] x) => (float[2,4,y,z] y) " + weights, "z = Conv<pads=[1,0,1,1]>(x, w)  y = Relu(z)");
}

TEST(NativeOperatorsTest, NormalisesInManyWays) {
  expect_code("(float[2,6,5] x, float[5] s, float[5] b) => (float[2,6,5] y, float[2,6,1] m, float[2,6,1] d)",
              "y, m, d = LayerNormalization(x, s, b)");
  expect_code("(float[2,6,4,5] x, float[6] s, float[6] b) => (float[2,6,4,5] y)",
              "y = GroupNormalization<num_groups=3>(x, s, b)", 21);
  expect_code("(float[2,6,4,5] x) => (float[2,6,4,5] y, float[2,6,4,5] z)",
              "y = MeanVarianceNormalization(x)  z = LRN<size=3>(x)");
  expect_code(
      "(float[4,3,5] x, float[3] s, float[3] b, float[3] m, float[3] v) => (float[4,3,5] y, float[3] n, float[3] w)",
      "p = Exp(v)  y, n, w = BatchNormalization<training_mode=1>(x, s, b, m, p)", 15);
}

TEST(NativeOperatorsTest, SumsByEquations) {
  for (const auto& [equation, a, b, y] :
       {std::tuple("bij,bjk->bik", "2,3,4", "2,4,5", "2,3,5"), std::tuple("i,j->ij", "3", "4", "3,4"),
        std::tuple("...ij,kj->...ik", "2,3,4", "5,4", "2,3,5")})
    expect_code(fmt::format("(float[{}] a, float[{}] b) => (float[{}] y)", a, b, y),
                fmt::format("y = Einsum<equation=\"{}\">(a, b)", equation));
  expect_code("(float[3,5,5] x) => (float[3,5] y)", "y = Einsum<equation=\"...ii->...i\">(x)");
}

TEST(NativeOperatorsTest, TakesLosses) {
  for (const char* reduction : {"none", "sum", "mean"})
    for (const char* attributes : {"", ", ignore_index=1"})
      expect_code(fmt::format("(float[3,5,2] x, int64[3,2] t, float[5] w) => (float{} y)",
                              reduction == std::string("none") ? "[3,2]" : ""),
                  fmt::format("y = SoftmaxCrossEntropyLoss<reduction=\"{}\"{}>(x, t, w)", reduction, attributes));
}

TEST(NativeOperatorsTest, IsMadeReadyForWhatInputsHold) {
  const Model model =
      one_graph("(float[n,4] x, int64[k] axes) => (float[m] y)", "y = ReduceSum<keepdims=0>(x, axes)", 18);
  const auto prepared = made_ready(model);
  for (const std::int64_t rows : {3, 5, 3})
    for (const std::int64_t axis : {0, 1}) {
      const Tensor x = Tensor::zeros(ElementType::float32, {rows, 4});
      const std::vector<Datum> inputs{x, Tensor::of<std::int64_t>({axis}, {1})};
      prepared->set_inputs(inputs);
      EXPECT_TRUE(prepared->by_definition().empty());
      expect_alike(prepared->outputs(), ReferenceInterpreter(model).run(inputs), "sum");
    }
}

}  // namespace
}  // namespace hone::native
