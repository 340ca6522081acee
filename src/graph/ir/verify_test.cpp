#include "graph/ir/verify.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"

namespace hone {
namespace {

Graph chain() { return parse_graph("g (float x) => (y) <float w = {1}> { t = Add (x, w) y = Neg (t) }", "g"); }

/// What verify says must mention this.
void expect_finding(const Graph& graph, std::string_view words) {
  const std::optional<std::string> finding = verify(graph);
  ASSERT_TRUE(finding.has_value());
  EXPECT_NE(finding->find(words), std::string::npos) << *finding;
}

TEST(VerifyTest, AcceptsAValidGraph) { EXPECT_EQ(verify(chain()), std::nullopt); }

TEST(VerifyTest, NoticesAReadOfWhatNothingDefines) {
  Graph graph = chain();
  graph.detach_output(graph.nodes()[0], 0);
  expect_finding(graph, "reads 't', which nothing defines");
}

TEST(VerifyTest, NoticesAnUndefinedOutput) {
  Graph graph = chain();
  graph.add_output(graph.add_value("nowhere"));
  expect_finding(graph, "'nowhere' is an output that nothing defines");
}

TEST(VerifyTest, NoticesACycle) {
  Graph graph = chain();
  graph.set_input(graph.nodes()[0], 0, *graph.find_value("y"));
  expect_finding(graph, "cycle");
}

TEST(VerifyTest, NoticesAConstantOfAnotherType) {
  Graph graph = chain();
  graph.set_type(*graph.find_value("w"), Type::tensor(ElementType::int64, Shape{}));
  expect_finding(graph, "'w' is of type int64");
}

TEST(VerifyTest, NoticesNamesUsedTwice) {
  Graph graph = chain();
  graph.rename(*graph.find_value("t"), "x");
  expect_finding(graph, "'x' has the name of another value");
}

TEST(VerifyTest, NoticesBodiesThatShadowOrCaptureTheWrongNumber) {
  const char* const text = "g (c, x) => (y) { y = If (c) <t = b () => (r) { q = Neg (x) r = Neg (q) }> }";
  Graph graph = parse_graph(text, "g");
  ASSERT_EQ(verify(graph), std::nullopt);
  graph.rename(*graph.find_value("c"), "q");
  expect_finding(graph, "'q' has the name of a value in a graph around it");
  graph = parse_graph(text, "g");
  graph.set_captured_inputs(graph.nodes()[0], {});
  expect_finding(graph, "its bodies capture 1");
}

TEST(VerifyTest, NoticesFunctionsDefinedTwice) {
  const Model model = parse_model("g () => () {} f (x) => (y) { y = Neg (x) } f (x) => (y) { y = Abs (x) }", "m");
  EXPECT_EQ(verify(model), "function f is defined twice");
}

}  // namespace
}  // namespace hone
