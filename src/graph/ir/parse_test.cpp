#include "graph/ir/parse.h"

#include <gtest/gtest.h>

#include "graph/ir/compare.h"
#include "graph/ir/print.h"

namespace hone {
namespace {

/// The message of the InputError that reading the text gives; empty when it reads.
std::string complaint(std::string_view text) {
  try {
    parse_model(text, "m.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const Node& only_node(const Graph& graph) { return graph.node(graph.nodes().at(0)); }

TEST(ParseTest, ReadsTheSyntaxOnnxPublishes) {
  const Model model = parse_model(R"(
<
  ir_version: 8,
  opset_import: [ "" : 17, "local" : 1 ]
>
agraph (float[N, 3] x, float[3] b = {0, 0, 0}) => (float[N,3] y)
<float[2] w = {1.0, 2.0}, float[N] t>
{
  # a comment
  t = Conv <strides = [2,2], pads = [1,1,1,1]> (x, w)
  [second] y, z = com.microsoft.Foo (t, "", b) <alpha: float = 1>
}
<domain: "local", opset_import: ["" : 17]>
f <alpha, beta: int = 3> (x) => (y)
{
  y = Elu <alpha: float = @alpha> (x)
}
)",
                                  "m.txt");
  EXPECT_EQ(model.ir_version, 8);
  EXPECT_EQ(model.opsets.version("local"), 1);
  const Graph& graph = model.graph;
  EXPECT_EQ(graph.inputs().size(), 2u);
  EXPECT_EQ(graph.initializers().size(), 2u);
  EXPECT_EQ(graph.described().size(), 1u);
  ASSERT_EQ(graph.node_count(), 2u);
  const Node& foo = graph.node(graph.nodes()[1]);
  EXPECT_EQ(foo.op, OpName::intern("com.microsoft", "Foo"));
  EXPECT_EQ(foo.name, "second");
  EXPECT_EQ(foo.inputs.size(), 3u);
  EXPECT_FALSE(foo.inputs[1].valid());
  EXPECT_EQ(std::get<float>(foo.attribute("alpha")->value), 1.0f);
  ASSERT_EQ(model.functions.size(), 1u);
  EXPECT_EQ(model.functions[0].op, OpName::intern("local", "f"));
  EXPECT_EQ(model.functions[0].attributes, std::vector<std::string>{"alpha"});
  EXPECT_EQ(only_node(model.functions[0].body).attribute("alpha")->reference, "alpha");
  EXPECT_TRUE(same_model(model, parse_model(print(model), "again")));
}

TEST(ParseTest, ScalarsHaveNoBracketsAndUnknownRanksHaveEmptyOnes) {
  const Graph graph = parse_graph("g (float a, float[] b, seq(int64[?, \"x y\"]) c, d) => () {}", "g");
  const auto type = [&](std::size_t i) -> const Type& { return graph.value(graph.inputs()[i]).type; };
  EXPECT_EQ(type(0), Type::tensor(ElementType::float32, Shape{}));
  EXPECT_EQ(type(1), Type::tensor(ElementType::float32));
  EXPECT_EQ(*type(2).inner, Type::tensor(ElementType::int64, Shape{Dim(), Dim::symbol("x y")}));
  EXPECT_EQ(type(3).kind, Type::Kind::unknown);
  EXPECT_TRUE(same_graph(graph, parse_graph(print(graph), "again")));
}

TEST(ParseTest, BodiesCaptureThroughTheGraphInTheMiddle) {
  const Graph graph = parse_graph(R"(
outer (bool c, float[2] x) => (float[2] y) {
  y = If (c) <
    then_branch = t () => (float[2] r) {
      r = If (c) <
        then_branch = tt () => (float[2] s) { s = Add (x, later) },
        else_branch = te () => (float[2] u) { u = Neg (x) }>
    },
    else_branch = e () => (float[2] v) { v = Neg (x) }>
  later = Abs (x)
}
)",
                                  "g");
  const Node& node = only_node(graph);
  ASSERT_EQ(node.captured, 4u);  // x, later and c for the first branch, x for the second
  const Graph& then_branch = *std::get<SharedGraph>(node.attribute("then_branch")->value);
  EXPECT_EQ(then_branch.captures().size(), 3u);
  EXPECT_EQ(only_node(then_branch).captured, 3u);
  EXPECT_TRUE(same_graph(graph, parse_graph(print(graph), "again")));
}

TEST(ParseTest, CapturesArePrintedUnderTheOuterName) {
  Graph graph = parse_graph(
      "g (bool c, float x) => (float y) { y = If (c) <then_branch = t () => (float r) { r = Abs (x) }> }", "g");
  graph.rename(*graph.find_value("x"), "renamed");
  EXPECT_NE(print(graph).find("Abs (renamed)"), std::string::npos);
  EXPECT_TRUE(same_graph(graph, parse_graph(print(graph), "again")));
}

TEST(ParseTest, ElementsOfEveryTypeKeepTheirBits) {
  const char* const text =
      "g () => () <float[5] f = {nan, -inf, 0x7fc00001, 1e-45, -0.0}, double[2] d = {0.1, inf}, "
      "float16[3] h = {0x3c00, 15360, 1.5}, bfloat16[1] b = {1.0}, float8e4m3fn[2] e = {0x7f, 448.0}, "
      "int4[3] i = {-8, 7, -1}, uint2[5] u = {0, 1, 2, 3, 3}, float4e2m1[3] o = {6.0, 0x1, 0}, "
      "bool[2] t = {true, 0}, complex64[1] c = {1, -2.5}, string[2] s = {\"a\\n\\\"\", \"\"}, "
      "int64[1] l = {-9223372036854775808}, uint64[1] m = {18446744073709551615}, float[0,3] z = {}> {}";
  const Graph graph = parse_graph(text, "g");
  const auto constant = [&](const char* name) { return *graph.value(*graph.find_value(name)).constant; };
  EXPECT_EQ(constant("h").values<Float16>()[0].bits, 0x3C00);
  EXPECT_EQ(constant("h").values<Float16>()[1].bits, 0x3C00);
  EXPECT_EQ(float(constant("h").values<Float16>()[2]), 1.5f);
  EXPECT_EQ(constant("e").number_at(1), 448.0);
  EXPECT_EQ(constant("i").integers(), (std::vector<std::int64_t>{-8, 7, -1}));
  EXPECT_EQ(constant("o").number_at(0), 6.0);
  EXPECT_EQ(constant("s").strings()[0], "a\n\"");
  EXPECT_TRUE(same_graph(graph, parse_graph(print(graph), "again")));
}

TEST(ParseTest, ComplaintsNameFileLineAndColumn) {
  EXPECT_EQ(complaint("g (float x) => (float y)\n{ y = Abs (w) }"),
            "m.txt:2:12: found 'w', expected a value that something defines");
  EXPECT_EQ(complaint("g (float x = > () {}"), "m.txt:1:14: found '>', expected '{'");
  EXPECT_EQ(complaint("g () => () { y = If (a) <b = t () => () {\n = Abs (q) }> }").substr(0, 10), "m.txt:1:22");
}

TEST(ParseTest, ACaptureThatNothingDefinesIsReportedWhereItIsRead) {
  EXPECT_EQ(complaint("g () => () { y = Loop () <b = t () => () {\n = Abs (q) }> }").substr(0, 10), "m.txt:2:9:");
}

TEST(ParseTest, RefusesWhatWouldNotFit) {
  EXPECT_NE(complaint("g () => () <float[1000000000000] w = {1}> {}"), "");
  EXPECT_NE(complaint("g () => () <float[4611686018427387904,4,4] w = {1}> {}"), "");
  EXPECT_NE(complaint("g () => () <int8[1] w = {128}> {}"), "");
  EXPECT_NE(complaint("g () => () <float[2] w = {1}> {}"), "");
  EXPECT_NE(complaint("g () => () <float[1] w = {1, 2}> {}"), "");
  EXPECT_NE(complaint("g (float x, float x) => () {}"), "");
  EXPECT_NE(complaint("g (float x) => () { x = Abs (x) }"), "");
}

TEST(ParseTest, RefusesDeepNesting) {
  std::string types = "g (", graphs;
  for (int i = 0; i < 100000; ++i) types += "seq(";
  EXPECT_NE(complaint(types).find("nested"), std::string::npos);
  for (int i = 0; i < 100000; ++i) graphs += "g () => () { = If () <b = ";
  EXPECT_NE(complaint(graphs).find("nested"), std::string::npos);
}

TEST(ParseTest, NotesAreCommentsToOtherReaders) {
  const char* const text = R"(<ir_version: 8, doc_string: "model", metadata_props: ["k": "v"]>
#: <residue: 0x0aff>
g (float x #: <doc_string: "input">
) => (float y)
#: <doc_string: "graph\nof two lines">
{
  y = Abs <a = 1 #: <metadata_props: ["p": "q"]>
  > (x) #: <residue: 0x>
  # nothing here
}
)";
  const Model model = parse_model(text, "m");
  EXPECT_EQ(model.notes->doc, "model");
  EXPECT_EQ(model.notes->residue, "\x0a\xff");
  EXPECT_EQ(model.graph.notes->doc, "graph\nof two lines");
  EXPECT_EQ(model.graph.value(model.graph.inputs()[0]).notes->doc, "input");
  EXPECT_EQ(only_node(model.graph).attributes->at(0).notes->metadata.at(0).second, "q");
  EXPECT_TRUE(same_model(model, parse_model(print(model), "again")));
}

TEST(ParseTest, EveryKindOfAttributeReadsBack) {
  const Graph graph = parse_graph(R"(g () => () {
  y = Op <a = 1, b = 1.0, c = "s", d = float[2] {1, 2}, e = t () => () {}, f = [1, 2], h = [1.0, nan], i = ["x", ""],
          j = [float {1}, int8[1] named {2}], k = ["" () => () {}, u () => () {}], l: ints = [], m: graphs = [],
          n: floats = @outer, o: encoded = 0x0102, p: float = 0x7fc00001, "odd name" = -3, q = inf, r: float = 2,
          s: encoded = @outer 0x03> ()
})",
                                  "g");
  const Attributes& attributes = *only_node(graph).attributes;
  ASSERT_EQ(attributes.size(), 19u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(attributes[i].value.index(), i);
  const Graph again = parse_graph(print(graph), "again");
  EXPECT_TRUE(same_graph(graph, again)) << print(graph) << print(again);
}

}  // namespace
}  // namespace hone
