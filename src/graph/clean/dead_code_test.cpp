#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

Model alive_part(std::string_view graph) { return after(typed_model(graph), remove_dead_code); }

TEST(DeadCodeTest, ChainsNobodyReadsGoInOneSweep) {
  Model model = typed_model(
      "g (float[2] x) => (y) <float[2] w = {1, 2}> { y = Relu (x) a = Add (x, w) b = Neg (a) c = Abs (b) }");
  EXPECT_EQ(remove_dead_code(model), 4u);  // three nodes and the weight
  EXPECT_EQ(operators(model.graph), "Relu");
  EXPECT_TRUE(model.graph.initializers().empty());
  EXPECT_EQ(remove_dead_code(model), 0u);
}

TEST(DeadCodeTest, InputsAndTheirDefaultsAreSignature) {
  const Model model = alive_part("g (float[2] x, float[2] unused, float[2] w = {1, 2}) => (y) { y = Relu (x) }");
  EXPECT_EQ(model.graph.inputs().size(), 3u);
  EXPECT_EQ(model.graph.initializers().size(), 1u);
}

TEST(DeadCodeTest, OneOutputReadKeepsTheNode) {
  EXPECT_EQ(operators(alive_part("g (float[2] x) => (b) { a, b = Split <axis = 0> (x) }").graph), "Split");
}

TEST(DeadCodeTest, WhatOnlyABodyReadsIsAlive) {
  const Model model = alive_part(R"(g (bool c, float[2] x) => (y) {
      r = Relu (x)
      y = If (c) <then_branch = t () => (a) { a = Neg (r) }, else_branch = e () => (b) { b = Abs (x) }> })");
  EXPECT_EQ(operators(model.graph), "Relu If");
}

TEST(DeadCodeTest, WhatOnlyDeadNodesOfABodyReadGoesWithThem) {
  const Model model = alive_part(R"(g (bool c, float[2] x) => (y) {
      r = Relu (x)
      y = If (c) <then_branch = t () => (a) { unread = Neg (r) a = Neg (x) }, else_branch = e () => (b) { b = Abs (x) }> })");
  EXPECT_EQ(operators(model.graph), "If");
  EXPECT_EQ(operators(body_of(model, "then_branch")), "Neg");
  EXPECT_EQ(body_of(model, "then_branch").captures().size(), 1u);
}

TEST(DeadCodeTest, OperatorsOfOtherDomainsMayActAndStayWithWhatTheyRead) {
  Model model = typed_model("g (float[2] x) => (y) { y = Relu (x) n = Neg (x) a = acme.Op (n) }");
  EXPECT_EQ(remove_dead_code(model), 0u);
  Model inside = typed_model(R"(g (bool c, float[2] x) => (y) {
      y = Relu (x)
      z = If (c) <then_branch = t () => (a) { a = acme.Op (x) }, else_branch = e () => (b) { b = Abs (x) }> })");
  EXPECT_EQ(remove_dead_code(inside), 0u);
}

TEST(DeadCodeTest, UnknownOperatorsOfOnnxItselfGo) {
  Model model = typed_model("g (float[2] x) => (y) { y = Relu (x) a = OfALaterOpset (x) }");
  EXPECT_EQ(remove_dead_code(model), 1u);
}

}  // namespace
}  // namespace hone
