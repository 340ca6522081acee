#include "graph/ir/structural_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "graph/ir/parse.h"
#include "graph/ir/random_model_test.h"

namespace hone {
namespace {

std::uint64_t hash(std::string_view text) { return structural_hash(parse_graph(text, "g")); }

/// The same graph with other ids, names and order of nodes.
Graph shuffled(const Graph& graph, Rng& rng) {
  Graph copy;
  std::vector<ValueId> moved(graph.value_count());
  std::vector<NodeId> nodes = graph.nodes();
  for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[rng.below(i)]);
  const auto name = [&] { return "n" + std::to_string(rng.next()); };
  for (auto id = graph.initializers().rbegin(); id != graph.initializers().rend(); ++id)
    if (!graph.is_input(*id)) moved[id->index()] = copy.add_constant(name(), *graph.value(*id).constant);
  for (const ValueId id : graph.inputs()) {
    moved[id.index()] = copy.add_input(name(), graph.value(id).type);
    if (graph.value(id).constant) copy.set_constant(moved[id.index()], *graph.value(id).constant);
  }
  for (const NodeId id : nodes)
    for (const ValueId output : graph.node(id).outputs)
      if (output.valid()) moved[output.index()] = copy.add_value(name());
  const auto translate = [&](std::span<const ValueId> ids) {
    std::vector<ValueId> result;
    for (const ValueId id : ids) result.push_back(id.valid() ? moved[id.index()] : ValueId());
    return result;
  };
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    const NodeId made = copy.add_node(node.op, translate(node.written_inputs()),
                                      translate({node.outputs.begin(), node.outputs.size()}), *node.attributes, name());
    copy.set_captured_inputs(made, translate(node.captured_inputs()));
  }
  for (const ValueId id : translate(graph.outputs())) copy.add_output(id);
  return copy;
}

TEST(StructuralHashTest, NamesIdsAndNodeOrderDoNotMatter) {
  Rng rng(3);
  for (int i = 0; i < 500; ++i) {
    const Graph graph = random_model(rng).graph;
    ASSERT_EQ(structural_hash(graph), structural_hash(shuffled(graph, rng))) << "model " << i;
  }
}

TEST(StructuralHashTest, IsTheSameOnEveryMachine) {
  EXPECT_EQ(hash("g (float[N] x) => (y) <float w = {1}> { y = Add <a = 1, b = 2.5, c = \"s\"> (x, w) }"),
            1554114786049647551u);
}

TEST(StructuralHashTest, AttributeOrderDoesNotMatter) {
  EXPECT_EQ(hash("g (x) => (y) { y = A <a = 1, b = 2> (x) }"), hash("g (x) => (y) { y = A <b = 2, a = 1> (x) }"));
  EXPECT_EQ(hash("g (c, x, z) => (y) { y = If (c) <t = b () => (r) { r = A (x) }, e = b () => (s) { s = A (z) }> }"),
            hash("g (c, x, z) => (y) { y = If (c) <e = b () => (s) { s = A (z) }, t = b () => (r) { r = A (x) }> }"));
}

TEST(StructuralHashTest, EveryDifferenceShows) {
  const char* const graphs[] = {
      "g (float x, float z) => (y) { y = A (x, z) }",
      "g (float x, float z) => (y) { y = A (z, x) }",
      "g (float z, float[2] x) => (y) { y = A (z, x) }",
      "g (float x, float z) => (y) { y = B (x, z) }",
      "g (float x, float z) => (y) { y = d.A (x, z) }",
      "g (float x, float z) => (y) { y = A (x, \"\", z) }",
      "g (float x, float z) => (y) { y = A (x, z, \"\") }",
      "g (float x, float z) => (y) { y = A <a = 1> (x, z) }",
      "g (float x, float z) => (y) { y = A <a = 1.0> (x, z) }",
      "g (float x, float z) => (y) { y = A <a = 0.0> (x, z) }",
      "g (float x, float z) => (y) { y = A <a = -0.0> (x, z) }",
      "g (float x, float z) => (y) { y = A <a = [1]> (x, z) }",
      "g (float x, float z) => (y) { y = A <b = 1> (x, z) }",
      "g (float x, float z) => (y) { y, w = A (x, z) }",
      "g (float x, float z) => (w) { y, w = A (x, z) }",
      "g (float x, float z) => (y, w) { y, w = A (x, z) }",
      "g (float x, float z) => (w, y) { y, w = A (x, z) }",
      "g (float x) => (y) <float z = {1}> { y = A (x, z) }",
      "g (float x) => (y) <float z = {2}> { y = A (x, z) }",
      "g (float x) => (y) <float[1] z = {2}> { y = A (x, z) }",
      "g (float x) => (y) <float z = {1}, float w = {1}> { y = A (z, w) }",
      "g (float x) => (y) <float z = {1}> { y = A (z, z) }",
      "g (float x) => (y) { a = A (x) y = B (a, a) }",
      "g (float x) => (y) { a = A (x) b = A (x) y = B (a, b) }",
      "g (float x) => (y, z) { a = A (x) b = A (x) y = B (a) z = C (a) }",
      "g (float x) => (y, z) { a = A (x) b = A (x) y = B (a) z = C (b) }",
      "g (float x) => (y, y) { y = A (x) }",
      "g (float x) => (y, z) { y = A (x) z = A (x) }",
      "g (float c, float x) => (y) { y = If (c) <t = b () => (r) { r = A (x) }> }",
      "g (float c, float x) => (y) { y = If (c) <t = b () => (r) { r = A (c) }> }",
      "g (float c, float x) => (y) { y = If (c) <t = b () => (r) { r = B (x) }> }",
      "g (float c, float x) => (y) { y = If (c) <t = b () => (r) { r = A (x, x) }> }",
  };
  std::set<std::uint64_t> seen;
  for (const char* graph : graphs) EXPECT_TRUE(seen.insert(hash(graph)).second) << graph;
}

TEST(StructuralHashTest, LongChainsAreHashedWithoutRecursion) {
  const auto chain = [](int length) {
    Graph graph;
    ValueId value = graph.add_input("x", {});
    for (int i = 0; i < length; ++i) value = graph.add(OpName::intern("", "Neg"), std::span(&value, 1));
    graph.add_output(value);
    return graph;
  };
  EXPECT_NE(structural_hash(chain(100000)), structural_hash(chain(100001)));
}

}  // namespace
}  // namespace hone
