#include <gtest/gtest.h>

#include "graph/ops/single_node_test.h"

namespace hone {
namespace {

TEST(ShapeTest, ClampsStartAndEnd) {
  SingleNode node{.op = "Shape",
                  .inputs = {counting({2, 3, 4})},
                  .attributes = {attribute("start", std::int64_t{-2}), attribute("end", std::int64_t{10})}};
  EXPECT_EQ(node.run(), indices({3, 4}));
  node.attributes = {attribute("start", std::int64_t{2}), attribute("end", std::int64_t{1})};
  EXPECT_EQ(node.run(), indices({}));
}

TEST(SizeTest, CountsElements) {
  EXPECT_EQ((SingleNode{.op = "Size", .inputs = {counting({2, 3})}}.run()), Tensor::scalar<std::int64_t>(6));
}

TEST(NonZeroTest, ListsCoordinatesByAxis) {
  const SingleNode node{.op = "NonZero", .inputs = {Tensor::of<bool>({true, false, true, true}, {2, 2})}};
  EXPECT_EQ(node.run(), Tensor::of<std::int64_t>({0, 1, 1, 0, 0, 1}, {2, 3}));
  EXPECT_EQ((SingleNode{.op = "NonZero", .inputs = {Tensor::scalar(1.0f)}}.run().dims()), (Dims{0, 1}));
}

/// y = Expand(1, Concat(Slice(Shape(x), 0, 1), Split(Tile(Gather(Shape(x), [1]), 2))[0], [3])).
TEST(ShapeTest, ArithmeticOnSymbolicShapesReachesTheOutput) {
  Model model;
  model.opsets.imports = {{"", 18}};
  Graph& graph = model.graph;
  const auto add = [&](const char* op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    return graph.add(OpName::intern("", op), inputs, std::move(attributes));
  };
  const auto constant = [&](Tensor tensor) {
    return graph.add_constant("c" + std::to_string(graph.value_count()), std::move(tensor));
  };
  const Attribute axis = attribute("axis", std::int64_t{0});
  const ValueId x = graph.add_input("x", Type::tensor(ElementType::float32, {Dim::symbol("n"), Dim::symbol("m"), 5}));
  const ValueId shape = add("Shape", {x});
  const ValueId first = add("Slice", {shape, constant(indices({0})), constant(indices({1}))});
  const ValueId second = add("Gather", {shape, constant(indices({1}))});
  const ValueId tiled = add("Tile", {second, constant(indices({2}))});
  const ValueId parts[] = {graph.add_value("p"), graph.add_value("q")};
  graph.add_node(OpName::intern("", "Split"), std::span(&tiled, 1), parts,
                 {axis, attribute("num_outputs", std::int64_t{2})});
  const ValueId target = add("Concat", {first, parts[1], constant(indices({3}))}, {axis});
  graph.add_output(add("Expand", {constant(Tensor::scalar(1.0f)), target}));
  graph.add_output(add("Size", {x}));
  const KnownContents known = infer_types(model);
  EXPECT_EQ(text_of(graph.value(graph.outputs()[0]).type), "float[n,m,3]");
  EXPECT_EQ((*known.symbolic[graph.outputs()[1].index()])[0], Dim(5) * Dim::symbol("n") * Dim::symbol("m"));
}

}  // namespace
}  // namespace hone
