#include "plan/problem/node_loop.h"

#include <gtest/gtest.h>

#include "graph/ops/one_node_test.h"
#include "plan/problem/lower.h"
#include "zoo/registry.h"

namespace hone {
namespace {

using enum Access;
using LoopKind = Loop::Kind;

/// A node, what it is given, and the loop it should have.
struct LoopCase {
  OneNode node;
  std::vector<Tensor> inputs;  // whole numbers become constants
  LoopKind kind;
  std::vector<Access> reads = {};
};

/// A model of the node that knows its whole numbers.
Model model_of_case(const LoopCase& one) {
  Model model;
  model.opsets.imports = {{"", one.node.opset}, {"com.microsoft", 1}};
  std::vector<ValueId> inputs, outputs;
  for (const Tensor& tensor : one.inputs) {
    const std::string name = "x" + std::to_string(inputs.size());
    inputs.push_back(tensor.type() == ElementType::undefined ? ValueId()
                     : tensor.type() == ElementType::int64
                         ? model.graph.add_constant(name, tensor)
                         : model.graph.add_input(name, Type::tensor(tensor.type(), tensor.shape())));
  }
  for (std::size_t i = 0; i < one.node.outputs; ++i) {
    outputs.push_back(model.graph.add_value("y" + std::to_string(i)));
    model.graph.add_output(outputs.back());
  }
  model.graph.add_node(OpName::intern(one.node.domain, one.node.op), inputs, outputs, one.node.attributes);
  infer_types(model);
  return model;
}

Attribute list(std::string name, Ints values) { return attribute(std::move(name), std::move(values)); }

const Tensor kOneThree = int64s({1, 3}, {2});

// clang-format off
const std::vector<LoopCase> kLoopCases = {
    {{"Relu"}, {counting({2, 3})}, LoopKind::map, {same}},
    {{"Add"}, {counting({2, 3}), counting({3})}, LoopKind::map, {same, other}},
    {{"Mul"}, {counting({2, 1}), counting({2, 3})}, LoopKind::map, {row, same}},
    {{"Sub"}, {counting({2, 3}), counting({})}, LoopKind::map, {same, other}},
    {{"Add"}, {counting({2, 1}), counting({1, 3})}, LoopKind::map, {row, other}},
    {{"Add", 6, {whole("broadcast", 1), whole("axis", 0)}}, {counting({2, 2}), counting({2})}, LoopKind::map, {same, other}},
    {{"Clip"}, {counting({4}), kNone, counting({})}, LoopKind::map, {same, other}},
    {{"Dropout"}, {counting({4})}, LoopKind::map, {same}},
    {{"Dropout", 6}, {counting({4})}, LoopKind::none},
    {{"RandomNormalLike"}, {counting({4})}, LoopKind::none},
    {{"Expand"}, {counting({2, 1}), int64s({2, 3}, {2})}, LoopKind::map, {row, other}},
    {{"Reshape"}, {counting({2, 3}), int64s({3, 2}, {2})}, LoopKind::map, {same, other}},
    {{"Unsqueeze"}, {counting({2}), int64s({0}, {1})}, LoopKind::map, {same, other}},
    {{"Transpose"}, {counting({2, 3})}, LoopKind::map, {other}},
    {{"Transpose", 24, {list("perm", {1, 0, 2})}}, {counting({1, 2, 3})}, LoopKind::map, {same}},
    {{"Trilu"}, {counting({3, 3})}, LoopKind::map, {same}},
    {{"Slice"}, {counting({4}), int64s({3}, {1}), int64s({-5}, {1}), int64s({0}, {1}), int64s({-1}, {1})}, LoopKind::map, {other, other, other, other, other}},
    {{"Concat", 24, {whole("axis", 0)}}, {counting({2}), counting({3})}, LoopKind::map, {other, other}},
    {{"Split", 24, {whole("num_outputs", 2)}, 2}, {counting({4, 2})}, LoopKind::map, {other}},
    {{"Split", 24, {}, 2}, {counting({4}), kOneThree}, LoopKind::none},
    {{"Gather"}, {counting({4, 2}), int64s({2, 0, 1}, {3})}, LoopKind::map, {other, row}},
    {{"Gather", 24, {whole("axis", 1)}}, {counting({2, 4}), int64s({2, 0, 1}, {3})}, LoopKind::map, {other, other}},
    {{"GatherElements"}, {counting({3, 2}), int64s({2, 0}, {1, 2})}, LoopKind::map, {other, same}},
    {{"OneHot"}, {counting({2}), int64s({3}, {1}), counting({2})}, LoopKind::map, {row, other, other}},
    {{"ScatterElements"}, {counting({3}), int64s({1}, {1}), counting({1})}, LoopKind::none},
    {{"NonZero"}, {counting({3})}, LoopKind::none},
    {{"ReduceSum"}, {counting({2, 3}), int64s({1}, {1})}, LoopKind::rows, {same, other}},
    {{"ReduceSum"}, {counting({2, 3}), int64s({0}, {1})}, LoopKind::columns, {same, other}},
    {{"ReduceMax"}, {counting({2, 3, 2}), int64s({-1, 1}, {2})}, LoopKind::rows, {same, other}},
    {{"ReduceMean", 13, {list("axes", {1}), whole("keepdims", 0)}}, {counting({2, 3, 1})}, LoopKind::rows, {same}},
    {{"ReduceSum"}, {counting({2, 3})}, LoopKind::rows, {same}},
    {{"ReduceSum", 24, {whole("noop_with_empty_axes", 1)}}, {counting({2, 3})}, LoopKind::map, {same}},
    {{"ReduceL2"}, {counting({2, 1}), int64s({1}, {1})}, LoopKind::map, {same, other}},
    {{"ArgMax", 24, {whole("axis", -1)}}, {counting({2, 3})}, LoopKind::rows, {same}},
    {{"Softmax"}, {counting({2, 3})}, LoopKind::rows, {same}},
    {{"Softmax", 11}, {counting({2, 3, 2})}, LoopKind::rows, {same}},
    {{"Softmax", 24, {whole("axis", 1)}}, {counting({2, 3, 2})}, LoopKind::none},
    {{"CumSum"}, {counting({2, 3}), int64s({1}, {})}, LoopKind::rows, {same, other}},
    {{"LayerNormalization"}, {counting({2, 3}), counting({3}), counting({3})}, LoopKind::rows, {same, other, other}},
    {{"LayerNormalization", 24, {}, 2}, {counting({2, 3}), counting({3})}, LoopKind::none},
    {{"InstanceNormalization"}, {counting({1, 2, 3}), counting({2}), counting({2})}, LoopKind::rows, {same, row, row}},
    {{"GroupNormalization", 24, {whole("num_groups", 2)}}, {counting({2, 4, 3}), counting({4}), counting({4})}, LoopKind::rows, {same, other, other}},
    {{"BatchNormalization"}, {counting({2, 2, 2}), counting({2}), counting({2}), counting({2}), counting({2})}, LoopKind::map, {same, other, other, other, other}},
    {{"BatchNormalization", 24, {whole("training_mode", 1)}}, {counting({2, 2, 2}), counting({2}), counting({2}), counting({2}), counting({2})}, LoopKind::none},
    {{"GlobalAveragePool"}, {counting({2, 2, 3})}, LoopKind::rows, {same}},
    {{"MaxPool", 24, {list("kernel_shape", {2})}}, {counting({1, 1, 4})}, LoopKind::map, {other}},
    {{"TopK"}, {counting({3}), int64s({1}, {1})}, LoopKind::none},
    {{"MatMul"}, {counting({2, 3}), counting({3, 2})}, LoopKind::contraction, {other, other}},
    {{"Gemm"}, {counting({2, 3}), counting({3, 2}), counting({2})}, LoopKind::contraction, {other, other, other}},
    {{"Conv"}, {counting({1, 1, 4}), counting({1, 1, 2})}, LoopKind::contraction, {other, other}},
    {{"Det"}, {counting({2, 2})}, LoopKind::none},
    {contrib("SkipLayerNormalization"), {counting({2, 1, 3}), counting({2, 1, 3}), counting({3})}, LoopKind::rows, {same, same, other}},
};
// clang-format on

std::string text_of_case(const LoopCase& one) {
  std::string text(one.node.op);
  for (const Tensor& tensor : one.inputs) text += " " + text_of(tensor.shape());
  return text;
}

TEST(NodeLoopTest, OperatorsHaveTheLoopsOfTheirKind) {
  for (const LoopCase& one : kLoopCases) {
    const Loop loop = loop_of(model_of_case(one), NodeId(0));
    EXPECT_EQ(loop.kind, one.kind) << text_of_case(one);
    EXPECT_EQ(loop.reads, one.reads) << text_of_case(one);
  }
}

/// Whether a result of the loop may depend on an element of an input of `elements` that is read so.
bool may_depend(const Loop& loop, std::size_t result, Access access, std::size_t element, std::size_t elements) {
  const auto points = static_cast<std::size_t>(loop.points), rows = static_cast<std::size_t>(loop.rows);
  const std::size_t length = points / rows;
  const std::size_t line = loop.results == loop.points ? result / length : result;
  for (std::size_t point = line * length; point < (line + 1) * length; ++point) {
    if (access == Access::other || (access == Access::same && point == element)) return true;
    if (access == Access::row && point * elements / points == element) return true;
  }
  return false;
}

/// The results that change with an element of an input.
std::vector<std::size_t> changed_results(const LoopCase& one, std::size_t input, std::size_t element) {
  LoopCase changed = one;
  Tensor tensor = Tensor::of(one.inputs[input].values<float>(), one.inputs[input].dims());
  tensor.set_number(element, tensor.number_at(element) + 0.375);
  changed.inputs[input] = tensor;
  const Tensor before = run_one(one.node, one.inputs), after = run_one(changed.node, changed.inputs);
  std::vector<std::size_t> results;
  for (std::size_t i = 0; i < before.count(); ++i)
    if (before.number_at(i) != after.number_at(i)) results.push_back(i);
  return results;
}

TEST(NodeLoopTest, ResultsDependOnNothingButWhatTheirPointsRead) {
  for (const LoopCase& one : kLoopCases) {
    const Loop loop = loop_of(model_of_case(one), NodeId(0));
    if (loop.kind != LoopKind::map && loop.kind != LoopKind::rows && loop.kind != LoopKind::columns) continue;
    std::size_t given = 0;  // among the inputs that are not omitted
    for (std::size_t input = 0; input < one.inputs.size(); ++input) {
      if (one.inputs[input].type() == ElementType::undefined) continue;
      const Access access = loop.reads[given++];
      if (one.inputs[input].type() != ElementType::float32) continue;
      const std::size_t elements = one.inputs[input].count();
      for (std::size_t element = 0; element < elements; ++element) {
        const std::vector<std::size_t> results = changed_results(one, input, element);
        if (loop.kind == LoopKind::columns) EXPECT_LE(results.size(), 1U) << text_of_case(one);
        else
          for (const std::size_t result : results)
            EXPECT_TRUE(may_depend(loop, result, access, element, elements))
                << text_of_case(one) << ": result " << result << " of element " << element << " of input " << input;
      }
    }
  }
}

TEST(NodeLoopTest, PointsAndResultsAreThoseOfTheShapes) {
  for (const LoopCase& one : kLoopCases) {
    const Model model = model_of_case(one);
    const Loop loop = loop_of(model, NodeId(0));
    if (loop.kind == LoopKind::none) continue;
    const auto elements =
        static_cast<double>(element_count(model.graph.value(model.graph.outputs()[0]).type.shape).value());
    const bool folds = loop.kind == LoopKind::rows || loop.kind == LoopKind::columns;
    EXPECT_EQ(loop.results, elements) << text_of_case(one);
    EXPECT_EQ(loop.points, folds ? static_cast<double>(one.inputs[0].count()) : elements) << text_of_case(one);
    EXPECT_TRUE(folds || loop.rows == loop.points) << text_of_case(one);
  }
}

TEST(NodeLoopTest, AxesThatOnlyARunKnowsAreSeenInTheShapeThatKeepsThem) {
  Model model = model_of({"ReduceSum"}, {float_type({2, 3}), Type::tensor(ElementType::int64, {1})});
  model.graph.set_type(model.graph.outputs()[0], float_type({2, 1}));
  EXPECT_EQ(loop_of(model, NodeId(0)).kind, LoopKind::rows);
  model.graph.set_type(model.graph.outputs()[0], float_type({1, 3}));
  EXPECT_EQ(loop_of(model, NodeId(0)).kind, LoopKind::columns);
  model.graph.set_type(model.graph.outputs()[0], float_type({3}));
  EXPECT_EQ(loop_of(model, NodeId(0)).kind, LoopKind::none);
}

TEST(NodeLoopTest, AxesThatContradictTheShapesGiveNoLoop) {
  Model model = model_of_case({{"ReduceSum"}, {counting({2, 3}), int64s({1}, {1})}, LoopKind::rows});
  model.graph.set_type(model.graph.outputs()[0], float_type({1, 3}));
  EXPECT_EQ(loop_of(model, NodeId(0)).kind, LoopKind::none);
}

TEST(NodeLoopTest, NothingIsSaidOfSizesThatAreNoNumbers) {
  Model model = model_of({"Relu"}, {float_type({Dim::symbol("batch"), 3})});
  infer_types(model);
  EXPECT_EQ(loop_of(model, NodeId(0)).kind, LoopKind::none);
  EXPECT_EQ(loop_of(model_of_case({{"Relu"}, {counting({0, 3})}, LoopKind::none}), NodeId(0)).kind, LoopKind::none);
}

TEST(NodeLoopTest, MostOfATrainingGraphHasLoops) {
  const Workload workload = lower(build_zoo("zoo:bert:training=true,layers=1"));
  std::size_t backward = 0, with_loop = 0;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const Operation& operation = workload.operation(OperationId(i));
    EXPECT_EQ(operation.loop.reads.size(), workload.inputs(OperationId(i)).size()) << operation.name;
    if (!operation.backward) continue;
    ++backward;
    with_loop += operation.loop.kind != LoopKind::none;
  }
  EXPECT_GT(backward, 10U);
  EXPECT_GT(with_loop, backward * 9 / 10);
}

}  // namespace
}  // namespace hone
