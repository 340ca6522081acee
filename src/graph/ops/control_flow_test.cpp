#include <gtest/gtest.h>

#include "graph/ops/infer.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

const OpName* op(std::string_view name) { return OpName::intern("", name); }

Type boolean_scalar() { return Type::tensor(ElementType::boolean, Shape{}); }

SharedGraph share(Graph graph) { return std::make_shared<const Graph>(std::move(graph)); }

/// A branch without inputs that gives one constant.
SharedGraph constant_branch(Tensor tensor) {
  Graph branch;
  branch.add_output(branch.add_constant("held", std::move(tensor)));
  return share(std::move(branch));
}

Model if_model(Tensor then_value, Tensor else_value) {
  Model model;
  model.opsets.imports = {{"", 21}};
  const ValueId condition[] = {model.graph.add_input("condition", boolean_scalar())};
  model.graph.add_output(model.graph.add(op("If"), condition,
                                         {{.name = "then_branch", .value = constant_branch(std::move(then_value))},
                                          {.name = "else_branch", .value = constant_branch(std::move(else_value))}}));
  return model;
}

std::string output_type(Model& model, std::size_t output = 0) {
  infer_types(model);
  return text_of(model.graph.value(model.graph.outputs()[output]).type);
}

TEST(IfTest, DimsThatDifferBetweenTheBranchesAreUnknown) {
  Model model = if_model(Tensor::of<float>({1, 2}, {2, 1}), Tensor::of<float>({1, 2, 3}, {3, 1}));
  EXPECT_EQ(output_type(model), "float[?,1]");
}

TEST(IfTest, RunsTheBranchTheConditionNames) {
  const Model model = if_model(Tensor::scalar(1.0f), Tensor::scalar(2.0f));
  for (const bool condition : {true, false}) {
    const Datum input(Tensor::scalar(condition));
    const std::vector<Datum> outputs = ReferenceInterpreter(model).run(std::span(&input, 1));
    EXPECT_EQ(outputs[0].tensor(), Tensor::scalar(condition ? 1.0f : 2.0f));
  }
}

/// What a Loop body of these tests does with its carried value.
enum class Step { keep, lengthen };

/// Loop(trips, condition, x): carries x (kept, or concatenated with itself along the first axis) and scans its
/// iteration.
Model loop_model(std::optional<std::int64_t> trips, Step step) {
  Graph body;
  const ValueId iteration = body.add_input("i", Type::tensor(ElementType::int64, Shape{}));
  const ValueId condition = body.add_input("condition", boolean_scalar());
  const ValueId carried = body.add_input("carried", Type::tensor(ElementType::float32));
  const ValueId twice[] = {carried, carried};
  const ValueId next = step == Step::keep
                           ? body.add(op("Identity"), std::span(twice, 1))
                           : body.add(op("ConcatFromSequence"), std::array{body.add(op("SequenceConstruct"), twice)},
                                      {{.name = "axis", .value = std::int64_t{0}}});
  body.add_output(body.add(op("Identity"), std::span(&condition, 1)));
  body.add_output(next);
  body.add_output(iteration);

  Model model;
  model.opsets.imports = {{"", 21}};
  Graph& graph = model.graph;
  const ValueId limit = trips ? graph.add_constant("trips", Tensor::scalar(*trips)) : ValueId();
  const ValueId entry = trips ? ValueId() : graph.add_input("enter", boolean_scalar());
  const ValueId x = graph.add_input("x", Type::tensor(ElementType::float32, {2, 3}));
  const ValueId last = graph.add_value("last"), scanned = graph.add_value("scanned");
  graph.add_node(op("Loop"), std::array{limit, entry, x}, std::array{last, scanned},
                 {{.name = "body", .value = share(std::move(body))}});
  graph.add_output(last);
  graph.add_output(scanned);
  return model;
}

TEST(LoopTest, KeepsCarriedShapesThatDoNotChangeAndCountsTrips) {
  Model model = loop_model(5, Step::keep);
  EXPECT_EQ(output_type(model, 0), "float[2,3]");
  EXPECT_EQ(output_type(model, 1), "int64[5]");
}

TEST(LoopTest, CarriedDimsThatChangeAreUnknown) {
  Model model = loop_model(5, Step::lengthen);
  EXPECT_EQ(output_type(model), "float[?,3]");
}

TEST(LoopTest, StacksScanOutputsAndCarriesState) {
  const Model model = loop_model(3, Step::lengthen);
  const Datum x(Tensor::zeros(ElementType::float32, {2, 3}));
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(std::span(&x, 1));
  EXPECT_EQ(outputs[0].tensor().dims(), (Dims{16, 3}));
  EXPECT_EQ(outputs[1].tensor(), Tensor::of<std::int64_t>({0, 1, 2}, {3}));
}

TEST(LoopTest, ABodyThatDeclaresAListIsGivenListsOfOne) {
  Model model = loop_model(3, Step::keep);
  const NodeId loop = model.graph.nodes().back();
  Attributes attributes = *model.graph.node(loop).attributes;
  Graph body = *std::get<SharedGraph>(attributes[0].value);
  body.set_type(body.inputs()[0], Type::tensor(ElementType::int64, Shape{Dim(1)}));
  attributes[0].value = share(std::move(body));
  model.graph.set_attributes(loop, std::move(attributes));
  EXPECT_EQ(output_type(model, 1), "int64[3,1]");
  const Datum x(Tensor::zeros(ElementType::float32, {2, 3}));
  EXPECT_EQ(ReferenceInterpreter(model).run(std::span(&x, 1))[1].tensor(), Tensor::of<std::int64_t>({0, 1, 2}, {3, 1}));
}

TEST(LoopTest, WithoutAnyTripGivesItsInputsAndNoRows) {
  Model model = loop_model(0, Step::lengthen);
  EXPECT_EQ(output_type(model, 1), "int64[0]");
  const Datum x(Tensor::zeros(ElementType::float32, {2, 3}));
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(std::span(&x, 1));
  EXPECT_EQ(outputs[0].tensor().dims(), (Dims{2, 3}));
  EXPECT_EQ(outputs[1].tensor().dims(), (Dims{0}));
}

TEST(LoopTest, WithAnUncertainConditionHasUnknownTrips) {
  Model model = loop_model(std::nullopt, Step::keep);
  EXPECT_EQ(output_type(model, 1), "int64[?]");
}

/// Scan over the columns of x backwards: the state is replaced by the column, which is also scanned.
Model scan_model() {
  Graph body;
  body.add_input("state", Type::tensor(ElementType::float32));
  const ValueId column = body.add_input("column", Type::tensor(ElementType::float32));
  body.add_output(body.add(op("Identity"), std::span(&column, 1)));
  body.add_output(column);

  Model model;
  model.opsets.imports = {{"", 9}};
  Graph& graph = model.graph;
  const ValueId state = graph.add_input("state", Type::tensor(ElementType::float32, {2}));
  const ValueId x = graph.add_input("x", Type::tensor(ElementType::float32, {2, Dim::symbol("n")}));
  const ValueId last = graph.add_value("last"), scanned = graph.add_value("scanned");
  graph.add_node(op("Scan"), std::array{state, x}, std::array{last, scanned},
                 {{.name = "body", .value = share(std::move(body))},
                  {.name = "num_scan_inputs", .value = std::int64_t{1}},
                  {.name = "scan_input_axes", .value = std::vector<std::int64_t>{-1}},
                  {.name = "scan_input_directions", .value = std::vector<std::int64_t>{1}},
                  {.name = "scan_output_axes", .value = std::vector<std::int64_t>{1}}});
  graph.add_output(last);
  graph.add_output(scanned);
  return model;
}

TEST(ScanTest, ScansTheNamedAxisBackwards) {
  const Model model = scan_model();
  const Datum inputs[] = {Tensor::zeros(ElementType::float32, {2}), Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3})};
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(inputs);
  EXPECT_EQ(outputs[0].tensor(), Tensor::of<float>({1, 4}, {2}));
  EXPECT_EQ(outputs[1].tensor(), Tensor::of<float>({3, 2, 1, 6, 5, 4}, {2, 3}));
}

TEST(ScanTest, StackedOutputsHaveTheScannedLength) {
  Model model = scan_model();
  EXPECT_EQ(output_type(model, 1), "float[2,n]");
}

}  // namespace
}  // namespace hone
