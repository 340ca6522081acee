#include "rewrite/search/egraph.h"

#include <gtest/gtest.h>

#include <set>

#include "graph/clean/clean_case_test.h"
#include "graph/ir/compare.h"
#include "rewrite/search/egraph_case_test.h"

namespace hone {
namespace {

class EGraphTest : public testing::Test {
 protected:
  static ValueId named(const Model& model, std::string_view name) { return model.graph.find_value(name).value(); }

  static Replacement alias(const EGraph& egraph, ValueId from, ValueId to) {
    Replacement change;
    change.first_value = egraph.graph().value_count();
    change.aliases = {{from, to}};
    return change;
  }

  static void expect_sound(const EGraph& egraph) {
    const Graph& graph = egraph.graph();
    const std::vector<NodeId> nodes = graph.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = graph.node(nodes[i]);
      for (const ValueId input : node.inputs) EXPECT_TRUE(!input.valid() || egraph.leader(input) == input);
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(same_computation(node, graph.node(nodes[j])));
    }
    std::set<ValueId> members;
    for (const ValueId leader : egraph.leaders())
      for (const ValueId id : egraph.members(leader)) {
        EXPECT_EQ(egraph.leader(id), leader);
        EXPECT_TRUE(members.insert(id).second);
        EXPECT_EQ(graph.value(id).type, graph.value(leader).type);
      }
  }

  /// Makers of a class read classes before it, and every class has one.
  static void expect_acyclic(const EGraph& egraph, const CycleFilter& filter) {
    std::set<ValueId> before;
    for (const ValueId leader : filter.order()) {
      EXPECT_FALSE(filter.makers(leader).empty());
      for (const ValueId maker : filter.makers(leader)) {
        if (egraph.is_source(maker)) continue;
        for (const ValueId input : egraph.graph().node(egraph.graph().value(maker).producer).inputs)
          EXPECT_TRUE(!input.valid() || before.contains(input));
      }
      before.insert(leader);
    }
    EXPECT_EQ(before.size(), egraph.leaders().size());
  }
};

TEST_F(EGraphTest, EqualInputsMakeReadersEqual) {
  const Model model = typed_model(R"(g (float[2] a, float[2] b) => (y, z) {
      c = Relu(a) d = Relu(b) y = Neg(c) z = Neg(d) })");
  EGraph egraph(model.graph, RuleSetting::of(model));
  EXPECT_NE(egraph.leader(named(model, "y")), egraph.leader(named(model, "z")));
  egraph.add(alias(egraph, named(model, "a"), named(model, "b")));
  egraph.rebuild();
  EXPECT_EQ(egraph.leader(named(model, "y")), egraph.leader(named(model, "z")));
  EXPECT_EQ(egraph.graph().node_count(), 2u);
  expect_sound(egraph);
}

TEST_F(EGraphTest, OrderOfCommutativeOperandsDoesNotMatter) {
  const Model model = typed_model(
      "g (float[2] a, float[2] b) => (y, z, v, w) { y = Add(a, b) z = Add(b, a) v = Sub(a, b) w = Sub(b, a) }");
  const EGraph egraph(model.graph, RuleSetting::of(model));
  EXPECT_EQ(egraph.leader(named(model, "y")), egraph.leader(named(model, "z")));
  EXPECT_NE(egraph.leader(named(model, "v")), egraph.leader(named(model, "w")));
}

TEST_F(EGraphTest, RandomNumbersStayApart) {
  const Model model = typed_model("g (float[2] x) => (y, z) { y = RandomNormalLike(x) z = RandomNormalLike(x) }");
  const EGraph egraph(model.graph, RuleSetting::of(model));
  EXPECT_NE(egraph.leader(named(model, "y")), egraph.leader(named(model, "z")));
}

TEST_F(EGraphTest, AConstantLeadsItsClass) {
  const Model model = typed_model("g (float[2] x) => (y) <float[2] c = {1, 2}> { a = Mul(x, c) y = Add(a, x) }");
  EGraph egraph(model.graph, RuleSetting::of(model));
  egraph.add(alias(egraph, named(model, "a"), named(model, "c")));
  egraph.rebuild();
  EXPECT_EQ(egraph.leader(named(model, "a")), named(model, "c"));
  expect_sound(egraph);
}

TEST_F(EGraphTest, TypesKeepClassesApart) {
  const Model model = typed_model("g (float[2] a, float[3] b) => (y, z) { y = Relu(a) z = Relu(b) }");
  EGraph egraph(model.graph, RuleSetting::of(model));
  egraph.add(alias(egraph, named(model, "y"), named(model, "z")));
  EXPECT_NE(egraph.leader(named(model, "y")), egraph.leader(named(model, "z")));
}

TEST_F(EGraphTest, CyclesLoseTheirNewestMakers) {
  const Model model =
      typed_model(R"(g (float[2] x) => (z) { a = Neg(x) b = Neg(a) c = Relu(b) d = Neg(c) z = Neg(d) })");
  EGraph egraph(model.graph, RuleSetting::of(model));
  CycleFilter filter(egraph);
  expect_acyclic(egraph, filter);
  egraph.add(alias(egraph, named(model, "b"), named(model, "x")));
  egraph.add(alias(egraph, named(model, "z"), named(model, "c")));
  egraph.rebuild();
  filter.update();
  expect_sound(egraph);
  expect_acyclic(egraph, filter);
  EXPECT_TRUE(filter.is_barred(named(model, "z")));
}

TEST_F(EGraphTest, RulesAddToItUntilNothingIsNew) {
  const Model model = typed_model(R"(g (float[2,4] x) => (y, z)
    <float[4,3] v = {1,2,3,4,5,6,7,8,9,10,11,12}, float[4,3] w = {1,0,3,4,5,6,7,8,9,10,11,12}, float[3] s = {1,2,3}> {
      a = MatMul(x, v) b = MatMul(x, w) c = Relu(a) y = Relu(c) z = Mul(b, s) })");
  const Matcher matcher(select_rules("all"), RuleSetting::of(model));
  EGraph egraph(model.graph, matcher.setting());
  CycleFilter filter(egraph);
  for (int round = 0; round < 3; ++round) {
    grow(egraph, filter, matcher);
    expect_sound(egraph);
    expect_acyclic(egraph, filter);
  }
  EXPECT_EQ(egraph.leader(named(model, "y")), egraph.leader(named(model, "c")));
  EXPECT_GT(egraph.graph().node_count(), model.graph.node_count());
}

}  // namespace
}  // namespace hone
