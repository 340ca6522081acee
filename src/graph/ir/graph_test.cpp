#include "graph/ir/graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/ir/compare.h"
#include "graph/ir/function.h"
#include "graph/ir/order.h"
#include "graph/ir/parse.h"
#include "graph/ir/print.h"
#include "graph/ir/random_model_test.h"
#include "graph/ir/verify.h"

namespace hone {
namespace {

const OpName* const kAdd = OpName::intern("", "Add");

/// A value that may be read at `reader` without closing a cycle, as long as nodes only read what stands before them.
ValueId earlier_value(const Graph& graph, NodeId reader, Rng& rng) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const ValueId id(rng.below(graph.value_count()));
    const Value& value = graph.value(id);
    const bool source = graph.is_input(id) || graph.is_capture(id) || value.constant.has_value();
    if (source || (value.producer.valid() && value.producer < reader)) return id;
  }
  return {};
}

void random_edit(Graph& graph, Rng& rng) {
  const std::vector<NodeId> nodes = graph.nodes();
  const NodeId id = nodes.empty() ? NodeId() : nodes[rng.below(nodes.size())];
  const ValueId value = nodes.empty() ? ValueId() : earlier_value(graph, id, rng);
  switch (nodes.empty() ? 4 : rng.below(6)) {
    case 0:
      if (!graph.node(id).written_inputs().empty())
        graph.set_input(id, rng.below(graph.node(id).written_inputs().size()), value);
      return;
    case 1: return graph.resize_inputs(id, rng.below(5));
    case 2: {
      // Everyone reads another value instead; then the node may go.
      for (const ValueId output : graph.node(id).outputs) {
        if (!output.valid()) continue;
        if (!value.valid() || graph.is_output(output)) return;
        graph.replace_uses(output, value);
      }
      return graph.remove_node(id);
    }
    case 3: return graph.set_attribute(id, {.name = "k", .value = rng.between(0, 9)});
    default: {
      std::vector<ValueId> inputs;
      for (std::uint64_t i = rng.below(4); i-- > 0;)
        inputs.push_back(earlier_value(graph, NodeId(graph.node_slots()), rng));
      graph.add(kAdd, inputs, {}, fmt::format("edit {}", graph.node_slots()));
    }
  }
}

TEST(GraphTest, ThousandsOfRandomEditsKeepEveryPromise) {
  Rng rng(1);
  for (int i = 0; i < 20; ++i) {
    Graph graph = random_model(rng).graph;
    graph.add_input("source", {});
    for (int step = 0; step < 300; ++step) {
      random_edit(graph, rng);
      ASSERT_EQ(verify(graph), std::nullopt) << "graph " << i << " step " << step;
    }
  }
}

TEST(GraphTest, EditsOfACopyLeaveTheOriginal) {
  Rng rng(2);
  for (int i = 0; i < 20; ++i) {
    const Graph graph = random_model(rng).graph;
    const std::string before = print(graph);
    Graph copy = graph;
    copy.add_input("source", {});
    for (int step = 0; step < 50; ++step) random_edit(copy, rng);
    ASSERT_EQ(print(graph), before);
    ASSERT_EQ(verify(graph), std::nullopt);
  }
}

TEST(GraphTest, CapturedInputsStayBehindTheWrittenOnes) {
  Graph graph = parse_graph("g (c, x, z) => (y) { y = If (c) <t = b () => (r) { r = Add (x, z) }> }", "g");
  const NodeId id = graph.nodes()[0];
  graph.resize_inputs(id, 3);
  EXPECT_EQ(graph.node(id).captured_inputs()[1], *graph.find_value("z"));
  EXPECT_EQ(graph.node(id).written_inputs().size(), 3u);
  graph.replace_uses(*graph.find_value("z"), *graph.find_value("c"));
  EXPECT_NE(print(graph).find("Add (x, c)"), std::string::npos);
  EXPECT_EQ(verify(graph), std::nullopt);
}

TEST(GraphTest, RemovedConstantsAreGone) {
  Graph graph = parse_graph("g () => (y) <float a = {1}, float b = {2}> { y = Neg (b) }", "g");
  const ValueId a = *graph.find_value("a");
  graph.remove_initializers(std::span(&a, 1));
  EXPECT_EQ(graph.initializers().size(), 1u);
  EXPECT_EQ(verify(graph), std::nullopt);
  EXPECT_DEATH(graph.remove_initializers(graph.initializers()), "still read");
}

TEST(OrderTest, KeepsFileOrderWhereItIsValid) {
  const Graph graph = parse_graph("g (x) => (d) { b = A (x) a = A (x) d = A (c, a) c = A (b) }", "g");
  std::vector<std::string> order;
  for (const NodeId id : topological_order(graph)) order.push_back(graph.value(graph.node(id).outputs[0]).name);
  EXPECT_EQ(order, (std::vector<std::string>{"b", "a", "c", "d"}));
}

TEST(OrderTest, NamesANodeOfACycle) {
  const Graph graph = parse_graph("g (x) => (a) { [first] a = A (b) [second] b = A (a) }", "g");
  EXPECT_THROW(topological_order(graph), InputError);
}

TEST(FunctionTest, ReferencesTakeTheCallsAttributesThenTheDefaults) {
  const Model model = parse_model(R"(g (x) => (y) { y = local.f <alpha = 2.0> (x) }
<domain: "local"> f <alpha, gone, beta: float = 3.0> (x) => (y) {
  y = Op <a: float = @alpha, b: float = @beta, c: int = @gone, d = 1> (x)
})",
                                  "m");
  const Node& call = model.graph.node(model.graph.nodes()[0]);
  const Graph body = instantiate(model.functions[0], call);
  EXPECT_TRUE(same_structure(body, parse_graph("f (x) => (y) { y = Op <a = 2.0, b = 3.0, d = 1> (x) }", "expected")));
}

TEST(FunctionTest, ReferencesInsideBodiesAreBoundToo) {
  const Model model = parse_model(R"(g (x) => (y) { y = local.f <alpha = 2, branch = t () => (r) { r = C () }> (x) }
<domain: "local"> f <alpha, branch> (x) => (y) {
  y = If (x) <a = [b () => (r) { r = Op <k: int = @alpha> () }], t = b () => (s) { s = Op <k: int = @alpha> () },
              e: graph = @branch>
})",
                                  "m");
  const Graph body = instantiate(model.functions[0], model.graph.node(model.graph.nodes()[0]));
  EXPECT_TRUE(same_structure(body, parse_graph(R"(f (x) => (y) {
  y = If (x) <a = [b () => (r) { r = Op <k = 2> () }], t = b () => (s) { s = Op <k = 2> () },
              e = t () => (u) { u = C () }>
})",
                                               "expected")));
}

TEST(CompareTest, MeaningIgnoresNamesButNotWiring) {
  const auto body = [](const char* text) {
    return Attribute{.name = "body", .value = std::make_shared<const Graph>(parse_graph(text, "g"))};
  };
  const Attribute original = body("g (float x, float z) => (y) <float w = {1}> { a = A (x, w) y = B (a, z) }");
  EXPECT_TRUE(
      same_meaning(original, body("h (float p, float q) => (r) <float s = {1}> { t = A (p, s) r = B (t, q) }")));
  for (const char* other : {"g (float x, float z) => (y) <float w = {1}> { a = A (z, w) y = B (a, x) }",
                            "g (float x, float z) => (y) <float w = {2}> { a = A (x, w) y = B (a, z) }",
                            "g (float x, int32 z) => (y) <float w = {1}> { a = A (x, w) y = B (a, z) }",
                            "g (float x, float z) => (a) <float w = {1}> { a = A (x, w) y = B (a, z) }",
                            "g (float x, float z) => (y) <float w = {1}> { a = A <k = 1> (x, w) y = B (a, z) }"})
    EXPECT_FALSE(same_meaning(original, body(other))) << other;
}

TEST(CompareTest, FloatsAreComparedByBits) {
  const auto number = [](float value) { return Attribute{.name = "a", .value = value}; };
  EXPECT_TRUE(same_meaning(number(NAN), number(NAN)));
  EXPECT_FALSE(same_meaning(number(0.0f), number(-0.0f)));
  EXPECT_FALSE(same_meaning(number(1.0f), Attribute{.name = "a", .value = std::int64_t{1}}));
}

}  // namespace
}  // namespace hone
