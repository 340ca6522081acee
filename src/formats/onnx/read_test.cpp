#include "formats/onnx/read.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/wire.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/write.h"
#include "graph/ir/parse.h"
#include "graph/ir/print.h"
#include "graph/ir/structural_hash.h"
#include "graph/ir/verify.h"

namespace hone::onnx {
namespace {

Model decode(const std::string& bytes) {
  const auto owner = std::make_shared<const std::string>(bytes);
  return read(as_bytes(*owner), owner, "model.onnx", "");
}

/// A model in the text form goes through the file format and comes out the same; only declarations are remembered word
/// for word from then on.
void expect_survives(std::string_view text) {
  const Model model = parse_model(text, "text");
  const std::string bytes = encode(model);
  const Model again = decode(bytes);
  EXPECT_EQ(structural_hash(model.graph), structural_hash(again.graph)) << print(again);
  EXPECT_EQ(verify(again), std::nullopt);
  EXPECT_EQ(encode(again), bytes);
}

/// A ModelProto of these encoded fields is read and written without a bit lost.
void expect_lossless(const WireWriter& model) {
  const std::string bytes = model.flatten();
  EXPECT_EQ(encode(decode(bytes)), bytes);
}

WireWriter opset(std::string_view domain, std::int64_t version) {
  WireWriter import;
  if (!domain.empty()) import.text(opset_field::domain, domain);
  import.integer(opset_field::version, version);
  return import;
}

/// A model around a graph of one node with these extra fields.
WireWriter around_node(WireWriter node) {
  WireWriter graph, model;
  graph.message(graph_field::node, std::move(node));
  graph.text(graph_field::name, "g");
  model.integer(model_field::ir_version, 8);
  model.message(model_field::graph, std::move(graph));
  model.message(model_field::opset_import, opset("", 17));
  return model;
}

/// y = <op>(), the fields below `attribute` of a NodeProto.
WireWriter node_head(std::string_view op) {
  WireWriter node;
  node.text(node_field::output, "y");
  node.text(node_field::op_type, op);
  return node;
}

TEST(ReadTest, ModelsOfTheTextFormSurvive) {
  expect_survives(R"(
<ir_version: 8, producer_name: "p", producer_version: "", domain: "d", model_version: 3,
 opset_import: ["" : 17, "acme" : 2], doc_string: "about", metadata_props: ["author": "me"]>
g (float[N,3] x, float[3] b = {1, 2, 3}) => (float[N,3] y) <int64[2] w = {1, 2}, float[N,3] t> {
  t = Add (x, b)
  [named] y, extra = acme.Twist <alpha = 1.5, beta = 3, text = "", list = [1, 2], names = ["a", ""], value = int8[2] {1, -1}> (t, "", w)
})");
}

TEST(ReadTest, BodiesCaptureAcrossTwoLevels) {
  expect_survives(R"(
<ir_version: 8, opset_import: ["" : 17]>
g (bool c, int64 n, float[2] x) => (float[2] y) {
  z = Abs (x)
  y = If (c) <
    then_branch = t () => (float[2] r) {
      r = Loop (n, c, z) <body = b (int64 i, bool go, float[2] s) => (bool stay, float[2] next) {
        stay = Identity (c) next = Add (s, x) }>
    },
    else_branch = e () => (float[2] v) { v = Neg (z) }>
})");
}

TEST(ReadTest, FunctionsKeepAttributeReferencesAndDefaults) {
  expect_survives(R"(
<ir_version: 9, opset_import: ["" : 17, "local" : 1]>
g (float[2] x) => (y) { y = local.f <alpha = 0.5> (x) }
<domain: "local", opset_import: ["" : 17]>
f <alpha, beta: float = 3> (x) => (y) { t = Elu <alpha: float = @alpha> (x) y = Elu <alpha: float = @beta> (t) })");
}

TEST(ReadTest, FunctionsMayTakeGraphs) {
  expect_survives(R"(
<ir_version: 9, opset_import: ["" : 17, "local" : 1]>
g (bool c, float[2] x) => (y) { y = local.f <branch = b () => (float[2] r) <float[2] r = {1, 2}> {}> (c) }
<domain: "local", opset_import: ["" : 17]>
f <branch> (c) => (y) { y = If <then_branch: graph = @branch, else_branch: graph = @branch> (c) })");
}

TEST(ReadTest, NodesInAnyOrderResolve) {
  WireWriter first, second, value, graph, model;
  first.text(node_field::input, "t");
  first.text(node_field::output, "y");
  first.text(node_field::op_type, "Relu");
  second.text(node_field::input, "x");
  second.text(node_field::output, "t");
  second.text(node_field::op_type, "Abs");
  graph.message(graph_field::node, std::move(first));
  graph.message(graph_field::node, std::move(second));
  value.text(value_info_field::name, "x");
  graph.message(graph_field::input, std::move(value));
  model.message(model_field::graph, std::move(graph));
  model.message(model_field::opset_import, opset("", 17));
  const Model read_back = decode(model.flatten());
  EXPECT_EQ(verify(read_back), std::nullopt);
  EXPECT_EQ(read_back.graph.node(NodeId(0)).inputs[0], read_back.graph.node(NodeId(1)).outputs[0]);
}

TEST(ReadTest, UnknownFieldsAreKept) {
  WireWriter node = node_head("Op");
  node.text(77, "new field of nodes");
  WireWriter model = around_node(std::move(node));
  model.integer(90, 5);
  expect_lossless(model);
}

TEST(ReadTest, FieldsWrittenEmptyStayWritten) {
  WireWriter node;
  node.text(node_field::input, "");
  node.text(node_field::output, "y");
  node.text(node_field::name, "");
  node.text(node_field::op_type, "Op");
  node.text(node_field::doc_string, "");
  node.text(node_field::domain, "");
  node.text(node_field::overload, "");
  expect_lossless(around_node(std::move(node)));
}

TEST(ReadTest, TheLongNameOfTheDefaultDomainIsKept) {
  WireWriter node = node_head("Relu");
  node.text(node_field::domain, "ai.onnx");
  WireWriter model = around_node(std::move(node));
  const Model read_back = decode(model.flatten());
  EXPECT_EQ(read_back.graph.node(NodeId(0)).op, OpName::intern("", "Relu"));
  expect_lossless(model);
}

TEST(ReadTest, SparseInitializersAndTypeAttributesPassThrough) {
  WireWriter values, indices, sparse, graph, model, reader, attribute, type;
  values.integer(tensor_field::dims, 1);
  values.integer(tensor_field::data_type, 1);
  values.text(tensor_field::name, "w");
  values.text(tensor_field::raw_data, "abcd");
  indices.integer(tensor_field::dims, 1);
  indices.integer(tensor_field::data_type, 7);
  indices.text(tensor_field::raw_data, std::string(8, '\0'));
  sparse.message(sparse_field::values, std::move(values));
  sparse.message(sparse_field::indices, std::move(indices));
  sparse.integer(sparse_field::dims, 10);
  reader.text(node_field::input, "w");
  reader.text(node_field::output, "y");
  reader.text(node_field::op_type, "Op");
  attribute.text(attribute_field::name, "type");
  attribute.message(attribute_field::tp, std::move(type));
  attribute.integer(attribute_field::type, 13);
  reader.message(node_field::attribute, std::move(attribute));
  graph.message(graph_field::node, std::move(reader));
  graph.message(graph_field::sparse_initializer, std::move(sparse));
  model.message(model_field::graph, std::move(graph));
  model.message(model_field::opset_import, opset("", 17));
  const Model read_back = decode(model.flatten());
  EXPECT_EQ(text_of(read_back.graph.value(*read_back.graph.find_value("w")).type), "float[10]");
  EXPECT_EQ(verify(read_back), std::nullopt);
  expect_lossless(model);
}

TEST(ReadTest, AttributesWithoutATypeAreKnownByTheirValue) {
  WireWriter node = node_head("Op"), attribute;
  attribute.text(attribute_field::name, "axes");
  const std::string packed("\x01\x02", 2);
  attribute.text(attribute_field::ints, packed);
  node.message(node_field::attribute, std::move(attribute));
  const Model model = decode(around_node(std::move(node)).flatten());
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(model.graph.node(NodeId(0)).attribute("axes")->value),
            (std::vector<std::int64_t>{1, 2}));
}

TEST(ReadTest, DimsThatAreNoSizesAreUnknown) {
  WireWriter dim, shape, tensor, type, value, graph, model;
  dim.integer(dim_field::value, -1);
  shape.message(1, std::move(dim));
  tensor.integer(1, 1);
  tensor.message(2, std::move(shape));
  type.message(type_field::tensor, std::move(tensor));
  value.text(value_info_field::name, "x");
  value.message(value_info_field::type, std::move(type));
  graph.message(graph_field::input, std::move(value));
  model.message(model_field::graph, std::move(graph));
  const Model read_back = decode(model.flatten());
  EXPECT_EQ(text_of(read_back.graph.value(read_back.graph.inputs()[0]).type), "float[?]");
  expect_lossless(model);
}

TEST(ReadTest, BeforeImportsExistedTheFirstOpsetWasMeant) {
  WireWriter graph, model;
  graph.message(graph_field::node, node_head("Op"));
  model.integer(model_field::ir_version, 2);
  model.message(model_field::graph, std::move(graph));
  EXPECT_EQ(decode(model.flatten()).opsets.version(""), 1);
}

}  // namespace
}  // namespace hone::onnx
