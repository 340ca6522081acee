#include "zoo/autodiff.h"

#include <gtest/gtest.h>

#include <numeric>

#include "graph/ops/infer.h"
#include "run/reference/reference.h"
#include "zoo/weights.h"

namespace hone::zoo {
namespace {

/// A function of a few tensors whose gradients are checked.
struct Function {
  std::string name;
  std::vector<Dims> inputs;
  ValueId (*build)(Emitter&, std::span<const ValueId>);
  double offset = 0;  // inputs are drawn from [offset - 1, offset + 1]
};

/// sum(build(inputs) * weights) as outputs[0], and its gradients by the inputs after it.
Model gradient_model(const Function& function) {
  Model model;
  model.opsets.imports = {{"", Emitter::kOpset}};
  Emitter e(model.graph, ElementType::float64);
  std::vector<ValueId> inputs;
  for (const Dims& dims : function.inputs) {
    const Shape shape = Tensor::zeros(ElementType::float64, dims).shape();
    inputs.push_back(
        model.graph.add_input(fmt::format("x{}", inputs.size()), Type::tensor(ElementType::float64, shape)));
  }
  const ValueId y = function.build(e, inputs);
  const ValueId weights = e.constant("weights", random_uniform(ElementType::float64, e.dims(y), 1, Rng(7)));
  Integers axes(e.dims(y).size());
  std::iota(axes.begin(), axes.end(), 0);
  const ValueId loss = e.reduce("ReduceSum", e.mul(y, weights), axes, Reduced::dropped);
  model.graph.add_output(loss);
  for (const ValueId gradient : add_gradients(e, loss, inputs)) model.graph.add_output(gradient);
  return model;
}

/// Inputs far enough apart that a small step does not change which is largest.
std::vector<Datum> draw_inputs(const Function& function) {
  std::vector<Datum> data;
  for (const Dims& dims : function.inputs) {
    const Tensor noise = random_uniform(ElementType::float64, dims, 1, Rng(data.size() + 1));
    Tensor shifted = Tensor::zeros(ElementType::float64, dims);
    for (std::size_t i = 0; i < noise.count(); ++i) shifted.set_number(i, noise.number_at(i) + function.offset);
    data.emplace_back(std::move(shifted));
  }
  return data;
}

double loss_at(const ReferenceInterpreter& interpreter, std::vector<Datum> data, std::size_t input, std::size_t element,
               double step) {
  Tensor moved = Tensor::zeros(ElementType::float64, data[input].tensor().dims());
  for (std::size_t i = 0; i < moved.count(); ++i) moved.set_number(i, data[input].tensor().number_at(i));
  moved.set_number(element, moved.number_at(element) + step);
  data[input] = std::move(moved);
  return interpreter.run(data)[0].tensor().number_at(0);
}

class GradientTest : public testing::TestWithParam<Function> {};

TEST_P(GradientTest, AgreesWithFiniteDifferences) {
  constexpr double kStep = 1e-5;
  Model model = gradient_model(GetParam());
  const ReferenceInterpreter interpreter(model);
  const std::vector<Datum> data = draw_inputs(GetParam());
  const std::vector<Datum> outputs = interpreter.run(data);
  for (std::size_t input = 0; input < data.size(); ++input) {
    const Tensor& gradient = outputs[input + 1].tensor();
    ASSERT_EQ(gradient.dims(), data[input].tensor().dims());
    for (std::size_t i = 0; i < gradient.count(); ++i) {
      const double above = loss_at(interpreter, data, input, i, kStep),
                   below = loss_at(interpreter, data, input, i, -kStep);
      EXPECT_NEAR(gradient.number_at(i), (above - below) / (2 * kStep), 1e-6) << "input " << input << " element " << i;
    }
  }
}

TEST_P(GradientTest, HasTheTypesInferenceFinds) {
  Model model = gradient_model(GetParam());
  Graph emitted = model.graph;
  infer_types(model);
  for (std::size_t i = 0; i < emitted.value_count(); ++i)
    EXPECT_EQ(text_of(emitted.value(ValueId(i)).type), text_of(model.graph.value(ValueId(i)).type))
        << emitted.value(ValueId(i)).name;
}

using Inputs = std::span<const ValueId>;

template <std::size_t N>
struct OperatorName {
  char text[N];
  constexpr OperatorName(const char (&name)[N]) { std::copy(name, name + N, text); }  // NOLINT: a name is one
};

template <OperatorName Op>
ValueId unary(Emitter& e, Inputs x) {
  return e.unary(Op.text, x[0]);
}

template <OperatorName Op>
ValueId binary(Emitter& e, Inputs x) {
  return e.binary(Op.text, x[0], x[1]);
}

template <OperatorName Op>
Function unary_function(double offset = 0) {
  return {Op.text, {{2, 3}}, unary<Op>, offset};
}

/// Broadcasts both ways.
template <OperatorName Op>
Function binary_function(double offset = 0) {
  return {Op.text, {{2, 1, 3}, {4, 1}}, binary<Op>, offset};
}

ValueId integers_2d(Emitter& e, const Integers& values, std::int64_t columns) {
  const std::int64_t rows = static_cast<std::int64_t>(values.size()) / columns;
  return e.constant("indices", Tensor::of(std::span<const std::int64_t>(values), {rows, columns}));
}

std::vector<Function> pointwise_functions() {
  return {
      unary_function<"Neg">(),
      unary_function<"Exp">(),
      unary_function<"Log">(2),
      unary_function<"Sqrt">(2),
      unary_function<"Reciprocal">(2),
      unary_function<"Relu">(),
      unary_function<"LeakyRelu">(),
      unary_function<"Elu">(),
      unary_function<"Sigmoid">(),
      unary_function<"Tanh">(),
      unary_function<"Erf">(),
      unary_function<"Softplus">(),
      unary_function<"HardSigmoid">(2),
      unary_function<"HardSwish">(-2),
      unary_function<"Abs">(),
      unary_function<"Sin">(),
      unary_function<"Cos">(),
      unary_function<"Identity">(),
      binary_function<"Add">(),
      binary_function<"Sub">(),
      binary_function<"Mul">(),
      binary_function<"Div">(2),
      binary_function<"Pow">(2),
      binary_function<"Max">(),
      binary_function<"Min">(),
      binary_function<"Sum">(),
      binary_function<"Mean">(),
      {"Clip", {{3, 4}}, [](Emitter& e, Inputs x) { return e.clip(x[0], -0.4, 0.5); }},
      {"Cast", {{3}}, [](Emitter& e, Inputs x) { return e.cast(x[0], ElementType::float64); }},
      {"Where",
       {{2, 3}, {3}},
       [](Emitter& e, Inputs x) { return e.where(e.compare("Greater", x[0], e.scalar(0)), x[0], x[1]); }},
      {"SameOperandTwice", {{3}}, [](Emitter& e, Inputs x) { return e.mul(x[0], e.mul(x[0], x[0])); }},
      {"PlainNumberOperand", {{2, 2}}, [](Emitter& e, Inputs x) { return e.div(e.scalar(1), e.add(x[0], 3)); }},
  };
}

std::vector<Function> movement_functions() {
  return {
      {"Reshape",
       {{2, 6}},
       [](Emitter& e, Inputs x) {
         return e.reshape(x[0], {0, -1, 2});
       }},
      {"Transpose",
       {{2, 3, 4}},
       [](Emitter& e, Inputs x) {
         return e.transpose(x[0], {2, 0, 1});
       }},
      {"Squeeze", {{2, 1, 3}}, [](Emitter& e, Inputs x) { return e.squeeze(x[0], {1}); }},
      {"Unsqueeze",
       {{2, 3}},
       [](Emitter& e, Inputs x) {
         return e.unsqueeze(x[0], {0, -1});
       }},
      {"Expand",
       {{2, 1, 3}},
       [](Emitter& e, Inputs x) {
         return e.expand(x[0], {4, 2, 5, 3});
       }},
      {"Concat",
       {{2, 1}, {2, 3}},
       [](Emitter& e, Inputs x) {
         return e.concat({x[0], x[1], x[0]}, -1);
       }},
      {"Split",
       {{2, 5}},
       [](Emitter& e, Inputs x) {
         return e.split(x[0], 1, {1, 3, 1})[1];
       }},
      {"SplitBoth",
       {{4, 2}},
       [](Emitter& e, Inputs x) {
         const std::vector<ValueId> parts = e.split_evenly(x[0], 0, 2);
         return e.mul(parts[0], parts[1]);
       }},
      {"Slice", {{3, 5}}, [](Emitter& e, Inputs x) { return e.slice(x[0], -1, 1, 4); }},
      {"Pad",
       {{2, 3}},
       [](Emitter& e, Inputs x) {
         return e.pad(x[0], {1, 0, 0, 2});
       }},
      {"GatherRows",
       {{4, 3}},
       [](Emitter& e, Inputs x) {
         return e.gather(x[0], integers_2d(e, {0, 2, 2, 3}, 2));
       }},
      {"GatherColumns",
       {{2, 4, 3}},
       [](Emitter& e, Inputs x) {
         return e.gather(x[0], integers_2d(e, {1, 1, 3, 0}, 2), 1);
       }},
      {"GatherElements",
       {{3, 4}},
       [](Emitter& e, Inputs x) {
         return e.emit("GatherElements", {x[0], integers_2d(e, {0, 0, 3, 1, 2, 2}, 2)}, {3, 2},
                       {{"axis", std::int64_t{1}}});
       }},
      {"ScatterNd",
       {{4, 2}, {3, 2}},
       [](Emitter& e, Inputs x) {
         return e.emit("ScatterND", {x[0], integers_2d(e, {1, 3, 1}, 1), x[1]}, {4, 2}, {{"reduction", "add"}});
       }},
      {"Tile",
       {{2, 3}},
       [](Emitter& e, Inputs x) {
         return e.emit("Tile", {x[0], e.integers({2, 3})}, {4, 9});
       }},
      {"CumSum",
       {{2, 4}},
       [](Emitter& e, Inputs x) {
         return e.emit("CumSum", {x[0], e.constant("axis", Tensor::scalar<std::int64_t>(1))}, {2, 4});
       }},
  };
}

std::vector<Function> reduction_functions() {
  return {
      {"ReduceSum",
       {{2, 3, 4}},
       [](Emitter& e, Inputs x) {
         return e.reduce("ReduceSum", x[0], {0, -1});
       }},
      {"ReduceMean",
       {{2, 3, 4}},
       [](Emitter& e, Inputs x) { return e.reduce("ReduceMean", x[0], {1}, Reduced::dropped); }},
      {"ReduceMax", {{2, 5}}, [](Emitter& e, Inputs x) { return e.reduce("ReduceMax", x[0], {1}); }},
      {"Softmax", {{2, 4}}, [](Emitter& e, Inputs x) { return e.softmax(x[0]); }},
      {"SoftmaxOfMiddle", {{2, 4, 2}}, [](Emitter& e, Inputs x) { return e.softmax(x[0], 1); }},
      {"LogSoftmax", {{2, 4}}, [](Emitter& e, Inputs x) { return e.log_softmax(x[0]); }},
      {"LayerNormalization",
       {{2, 3, 4}, {4}, {4}},
       [](Emitter& e, Inputs x) {
         return e.emit("LayerNormalization", x, {2, 3, 4}, {{"epsilon", 1e-2f}});
       }},
      {"LayerNormalizationOfTwoAxes",
       {{2, 3, 4}, {3, 4}},
       [](Emitter& e, Inputs x) {
         return e.emit("LayerNormalization", x, {2, 3, 4}, {{"axis", std::int64_t{1}}});
       }},
      {"BatchNormalization",
       {{2, 3, 2, 2}, {3}, {3}},
       [](Emitter& e, Inputs x) {
         const ValueId mean = e.constant("mean", Tensor::of<double>({0.1, -0.2, 0.3}, {3}));
         const ValueId variance = e.constant("variance", Tensor::of<double>({1, 0.5, 2}, {3}));
         return e.emit("BatchNormalization", {x[0], x[1], x[2], mean, variance}, {2, 3, 2, 2});
       }},
      {"BatchNormalizationInTraining",
       {{3, 2, 2, 2}, {2}, {2}},
       [](Emitter& e, Inputs x) {
         const ValueId running = e.constant("running", Tensor::of<double>({1, 1}, {2}));
         const ValueId inputs[] = {x[0], x[1], x[2], running, running};
         const Dims dims[] = {{3, 2, 2, 2}, {2}, {2}};
         return e.emit_all("BatchNormalization", inputs, dims, {{"training_mode", std::int64_t{1}}})[0];
       }},
      {"MaxPool",
       {{1, 2, 5, 5}},
       [](Emitter& e, Inputs x) { return e.pool("MaxPool", x[0], Window::square(3, 2, 1)); }},
      {"AveragePool",
       {{1, 2, 5, 6}},
       [](Emitter& e, Inputs x) { return e.pool("AveragePool", x[0], Window::square(3, 2, 1)); }},
      {"GlobalAveragePool", {{2, 2, 3, 3}}, [](Emitter& e, Inputs x) { return e.global_average_pool(x[0]); }},
  };
}

ValueId conv(Emitter& e, Inputs x, const Window& window, std::int64_t groups) { return e.conv(x, window, groups); }

std::vector<Function> contraction_functions() {
  return {
      {"MatMul", {{2, 3}, {3, 4}}, [](Emitter& e, Inputs x) { return e.matmul(x[0], x[1]); }},
      {"MatMulOfRows", {{2, 3, 4}, {4, 2}}, [](Emitter& e, Inputs x) { return e.matmul(x[0], x[1]); }},
      {"MatMulOfBatches", {{2, 1, 3, 2}, {4, 2, 3}}, [](Emitter& e, Inputs x) { return e.matmul(x[0], x[1]); }},
      {"MatMulOfVectors", {{3}, {3}}, [](Emitter& e, Inputs x) { return e.emit("MatMul", x, {}); }},
      {"MatMulByVector",
       {{2, 4, 3}, {3}},
       [](Emitter& e, Inputs x) {
         return e.emit("MatMul", x, {2, 4});
       }},
      {"Gemm",
       {{2, 3}, {3, 4}, {4}},
       [](Emitter& e, Inputs x) {
         return e.emit("Gemm", x, {2, 4}, {{"alpha", 0.5f}, {"beta", 2.0f}});
       }},
      {"GemmTransposed",
       {{3, 2}, {4, 3}, {2, 1}},
       [](Emitter& e, Inputs x) {
         return e.emit("Gemm", x, {2, 4}, {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}});
       }},
      {"GemmFirstTransposed",
       {{3, 2}, {3, 4}},
       [](Emitter& e, Inputs x) {
         return e.emit("Gemm", x, {2, 4}, {{"transA", std::int64_t{1}}});
       }},
      {"GemmSecondTransposed",
       {{2, 3}, {4, 3}},
       [](Emitter& e, Inputs x) {
         return e.emit("Gemm", x, {2, 4}, {{"transB", std::int64_t{1}}});
       }},
      {"Conv",
       {{2, 2, 4, 5}, {3, 2, 3, 3}, {3}},
       [](Emitter& e, Inputs x) { return conv(e, x, Window::square(3, 1, 1), 1); }},
      {"ConvStrided",
       {{1, 2, 6, 6}, {2, 2, 3, 3}},
       [](Emitter& e, Inputs x) { return conv(e, x, Window::square(3, 2), 1); }},
      {"ConvGrouped",
       {{2, 4, 4, 4}, {6, 2, 3, 3}},
       [](Emitter& e, Inputs x) { return conv(e, x, Window::square(3, 2, 1), 2); }},
      {"ConvDepthwise",
       {{1, 3, 4, 4}, {3, 1, 2, 2}},
       [](Emitter& e, Inputs x) { return conv(e, x, Window::square(2), 3); }},
      {"ConvDilatedCausal",
       {{2, 2, 8}, {3, 2, 2}},
       [](Emitter& e, Inputs x) {
         return conv(e, x, {.kernel = {2}, .strides = {1}, .pads = {3, 0}, .dilations = {3}}, 1);
       }},
      {"ConvDilatedStrided",
       {{1, 2, 9, 8}, {2, 2, 2, 3}},
       [](Emitter& e, Inputs x) {
         return conv(e, x, {.kernel = {2, 3}, .strides = {2, 3}, .pads = {1, 0, 0, 2}, .dilations = {3, 2}}, 1);
       }},
      {"ConvTranspose",
       {{2, 3, 3, 3}, {3, 2, 2, 2}, {2}},
       [](Emitter& e, Inputs x) {
         return e.emit("ConvTranspose", x, {2, 2, 6, 6}, Window::square(2, 2).attributes());
       }},
  };
}

const auto name_of_function = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(Pointwise, GradientTest, testing::ValuesIn(pointwise_functions()), name_of_function);
INSTANTIATE_TEST_SUITE_P(Movement, GradientTest, testing::ValuesIn(movement_functions()), name_of_function);
INSTANTIATE_TEST_SUITE_P(Reduction, GradientTest, testing::ValuesIn(reduction_functions()), name_of_function);
INSTANTIATE_TEST_SUITE_P(Contraction, GradientTest, testing::ValuesIn(contraction_functions()), name_of_function);

TEST(AutodiffTest, NamesTheNodeWithoutAGradient) {
  const Function function{"TopK", {{4}}, [](Emitter& e, Inputs x) { return e.emit("Celu", x, {4}); }};
  try {
    gradient_model(function);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "Celu '/Celu': the operator has no gradient");
  }
}

TEST(AutodiffTest, GivesZerosForWhatTheLossDoesNotReadSmoothly) {
  const Function function{"Floor", {{3}}, unary<"Floor">};
  const Model model = gradient_model(function);
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(draw_inputs(function));
  EXPECT_EQ(outputs[1].tensor(), Tensor::of<double>({0, 0, 0}, {3}));
}

}  // namespace
}  // namespace hone::zoo
