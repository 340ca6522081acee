#include "graph/ops/pointwise.h"

#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

const Dim batch = Dim::symbol("batch");
const Dim seq = Dim::symbol("seq");

using Facts = std::vector<InferContext::Fact>;

InferContext::Fact known(Contents contents, Shape shape) {
  return {
      .type = Type::tensor(ElementType::int64, std::move(shape)), .constant = nullptr, .contents = std::move(contents)};
}

/// What inference finds for the contents of a node's output.
std::string inferred_contents(const OneNode& node, const Facts& inputs) {
  std::vector<Type> types;
  for (const InferContext::Fact& input : inputs) types.push_back(input.type);
  const Model model = model_of(node, types);
  const OpEntry& entry = *OpTable::instance().find(OpName::intern("", node.op));
  InferContext context(entry, model.graph.node(*model.graph.nodes().begin()), entry.version_at(node.opset), inputs, {});
  entry.infer(context);
  if (!context.outputs()[0].contents) return "none";
  return text_of(Shape(*context.outputs()[0].contents));
}

/// The same for inputs that are vectors.
std::string inferred_contents(const OneNode& node, const std::vector<Contents>& inputs) {
  Facts facts;
  for (const Contents& contents : inputs)
    facts.push_back(known(contents, {static_cast<std::int64_t>(contents.size())}));
  return inferred_contents(node, facts);
}

TEST(SymbolicContentsTest, ArithmeticIsSymbolic) {
  EXPECT_EQ(inferred_contents({"Add"}, {{batch, 3}, {1}}), "[batch + 1,4]");
  EXPECT_EQ(inferred_contents({"Sub"}, {{seq}, {seq}}), "[0]");
  EXPECT_EQ(inferred_contents({"Mul"}, {{batch, 2}, {seq, 5}}), "[batch*seq,10]");
  EXPECT_EQ(inferred_contents({"Max"}, {{batch, 2}, {1, 1}}), "[max(1, batch),2]");
  EXPECT_EQ(inferred_contents({"Neg"}, {{seq, 2}}), "[-seq,-2]");
  EXPECT_EQ(inferred_contents({"Abs"}, {{seq, -2, 0 - seq}}), "[seq,2,?]");
}

TEST(SymbolicContentsTest, DivisionIsKnownWhereRoundingDownIsRoundingToZero) {
  EXPECT_EQ(inferred_contents({"Div"}, {{4 * seq, seq, -7}, {2}}), "[2*seq,floor((seq)/(2)),-3]");
  EXPECT_EQ(inferred_contents({"Div"}, {{seq - 1, 0 - 2 * seq}, {2}}), "[?,-seq]");
  EXPECT_EQ(inferred_contents({"Div"}, {{seq}, {0}}), "[?]");
}

TEST(SymbolicContentsTest, ColumnsAgainstRowsAreNoShapeArithmetic) {
  const Facts column_and_row = {known({batch, 3}, {2, 1}), known({1, 2}, {1, 2})};
  EXPECT_EQ(inferred_contents({"Add"}, column_and_row), "none");
}

TEST(SymbolicContentsTest, SizesAreNeverMinusOne) {
  EXPECT_EQ(inferred_contents({"Equal"}, {{batch, -1, seq + 4, seq - 4}, {-1}}), "[0,1,0,?]");
  EXPECT_EQ(inferred_contents({"Equal"}, {{batch}, {batch}}), "[1]");
  EXPECT_EQ(inferred_contents({"Less"}, {{batch, 3}, {batch + 1, 3}}), "[1,0]");
  EXPECT_EQ(inferred_contents({"GreaterOrEqual"}, {{batch, batch}, {0, 5}}), "[1,?]");
}

TEST(SymbolicContentsTest, WhereChoosesAndKeepsWhatBothSidesSay) {
  EXPECT_EQ(inferred_contents({"Where"}, {{1, 0, Dim(), Dim()}, {batch, 2, 7, 8}, {1, seq, 7, 9}}), "[batch,seq,7,?]");
}

TEST(SymbolicContentsTest, CastsBetweenIntegersKeepContents) {
  const auto cast_to = [](ElementType type) { return Attributes{{"to", static_cast<std::int64_t>(type), "", {}}}; };
  EXPECT_EQ(inferred_contents({"Cast", 24, cast_to(ElementType::int32)}, {{batch, 5}}), "[batch,5]");
  EXPECT_EQ(inferred_contents({"Cast", 24, cast_to(ElementType::boolean)}, {{batch, 5, seq + 1}}), "[?,1,1]");
  EXPECT_EQ(inferred_contents({"Cast", 24, cast_to(ElementType::float32)}, {{batch, 5}}), "none");
}

/// A graph under construction whose nodes all have one output.
struct ShapeArithmetic {
  Model model;
  ValueId x;

  ShapeArithmetic() {
    model.opsets.imports = {{"", 21}};
    x = model.graph.add_input("x", float_type({batch, seq}));
  }
  ValueId constant(Tensor tensor) { return model.graph.add_constant("", std::move(tensor)); }
  ValueId node(std::string_view op, std::initializer_list<ValueId> inputs) {
    return model.graph.add(OpName::intern("", op), std::span(inputs.begin(), inputs.size()));
  }
  std::string type_of(ValueId value) {
    model.graph.add_output(value);
    infer_types(model);
    return text_of(model.graph.value(value).type);
  }
};

TEST(SymbolicContentsTest, RangeOverADimHasItsLength) {
  ShapeArithmetic graph;
  const ValueId length =
      graph.node("Gather", {graph.node("Shape", {graph.x}), graph.constant(Tensor::scalar<std::int64_t>(1))});
  const ValueId zero = graph.constant(Tensor::scalar<std::int64_t>(0)),
                two = graph.constant(Tensor::scalar<std::int64_t>(2));
  const ValueId one = graph.constant(Tensor::scalar<std::int64_t>(1));
  const ValueId doubled = graph.node("Mul", {length, two});
  EXPECT_EQ(graph.type_of(graph.node("Range", {zero, doubled, one})), "int64[2*seq]");
}

TEST(SymbolicContentsTest, ExpandAsExportersWriteItKeepsItsDims) {
  // Expand's shape is `shape == -1 ? 1 : shape`.
  ShapeArithmetic graph;
  const ValueId shape = graph.node("Shape", {graph.x});
  const ValueId ones = graph.constant(int64s({1, 1}, {2}));
  const ValueId open = graph.node("Equal", {shape, graph.constant(int64s({-1, -1}, {2}))});
  const ValueId scalar = graph.constant(Tensor::scalar(1.0f));
  EXPECT_EQ(graph.type_of(graph.node("Expand", {scalar, graph.node("Where", {open, ones, shape})})),
            "float[batch,seq]");
}

TEST(BroadcastRunsTest, EqualShapesAndScalarsAreOneRun) {
  const Model model = model_of({"Add"}, {float_type({}), float_type({})});
  const OpEntry& entry = *OpTable::instance().find(OpName::intern("", "Add"));
  const NodeReader node(entry, model.graph.node(*model.graph.nodes().begin()), 14);
  const BroadcastRuns equal(node, {{2, 3, 4}, {2, 3, 4}}), scalar(node, {{2, 3, 4}, {}});
  EXPECT_EQ(equal.length(), 24u);
  EXPECT_EQ(scalar.length(), 24u);
  EXPECT_EQ(scalar.step(0), 1u);
  EXPECT_EQ(scalar.step(1), 0u);
  const BroadcastRuns channels(node, {{2, 3, 4, 5}, {3, 1, 1}});
  EXPECT_EQ(channels.length(), 20u);
}

TEST(DimTest, NumbersBelowAnySizeAreUnknown) {
  EXPECT_TRUE(Dim(INT64_MIN + 1).unknown());
  EXPECT_TRUE((Dim(INT64_MIN + 1) + seq).unknown());
}

TEST(DimTest, TellsWhatIsNeverNegative) {
  EXPECT_TRUE(never_negative(batch * seq + 2));
  EXPECT_TRUE(never_negative(maximum(seq - 4, 0)));
  EXPECT_TRUE(never_negative(floor_div(seq, 2)));
  EXPECT_FALSE(never_negative(seq - 1));
  EXPECT_FALSE(never_negative(minimum(seq - 4, 3)));
  EXPECT_FALSE(never_negative(Dim()));
}

}  // namespace
}  // namespace hone
