#include "rewrite/search/cycle_check.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

TEST(CycleCheckTest, AMatchMustNotNeedWhatItMakes) {
  // b reads c, which is computed from a: one convolution cannot make both a and b.
  const Model chained = typed_model(R"(g (float[1,2,4,4] x) => (y)
    <float[2,2,1,1] v = {1,2,3,4}, float[2,2,1,1] w = {5,6,7,8}> {
      a = Conv(x, v)
      c = Relu(a)
      b = Conv(c, w)
      y = Add(a, b) })");
  Rule pair = parse_rules(R"(
rule pair
  y = Conv(x, v)
  z = Conv(u, w)
  t = Add(y, z)
  where float(x)
=>
  y = Conv(x, v)
  z = Conv(u, w)
  t = Add(z, y)
)",
                          "test")[0];
  pair.loose_inputs = pair.inputs;
  const Graph& graph = chained.graph;
  const std::vector<NodeId> nodes = graph.nodes();
  Match match{.rule = &pair, .nodes = {}, .bindings = {}};
  match.nodes.resize(3);
  match.nodes[0] = {nodes[0]};
  match.nodes[1] = {nodes[2]};
  match.nodes[2] = {nodes[3]};
  match.bindings.tensors.resize(pair.tensors.size());
  CycleCheck cycles(graph);
  EXPECT_FALSE(cycles.closes(match));  // no inputs are bound
  for (const std::size_t variable : pair.inputs) match.bindings.tensors[variable] = {graph.node(nodes[2]).inputs[0]};
  EXPECT_TRUE(cycles.closes(match));
  for (const std::size_t variable : pair.inputs) match.bindings.tensors[variable] = {graph.inputs()[0]};
  EXPECT_FALSE(cycles.closes(match));
  pair.loose_inputs.clear();
  for (const std::size_t variable : pair.inputs) match.bindings.tensors[variable] = {graph.node(nodes[2]).inputs[0]};
  EXPECT_FALSE(cycles.closes(match));
}

}  // namespace
}  // namespace hone
