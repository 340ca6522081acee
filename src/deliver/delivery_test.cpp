#include "deliver/delivery.h"

#include <gtest/gtest.h>

#include "deliver/package.h"
#include "deliver/rule_moves.h"
#include "formats/onnx/write.h"
#include "graph/clean/clean_case_test.h"
#include "graph/ir/node_notes.h"
#include "rewrite/search/everywhere.h"
#include "run/profile/node_config.h"

namespace hone {
namespace {

constexpr std::string_view kGraph = R"(g (float[N,1,3,3] x) => (float[N,2,3,3] y)
  <float[2,1,1,1] w = {1,2}, float[2] s = {1,2}, float[2] t = {0,1}, float[2] m = {1,1}, float[2] v = {4,1}> {
    [conv] c = Conv(x, w)
    [norm] n = BatchNormalization(c, s, t, m, v)
    [same] y = Identity(n) })";

DeliveryRequest request() {
  DeliveryRequest request{.effort = DeliveryEffort::quick};
  request.make_static = [](Model& model) {
    fix_dims(model, {.symbols = {{"N", 2}}, .inputs = {}});
    infer_types(model);
  };
  return request;
}

std::string entry_of(const Model& model, std::string_view key) {
  for (const auto& [name, value] : model.notes->metadata)
    if (name == key) return value;
  return {};
}

TEST(DeliveryTest, WithoutMeasuringWeightsAreFoldedAndTheSignatureStays) {
  const Model original = typed_model(kGraph);
  const Delivery delivery = deliver(original, request());
  EXPECT_EQ(operators(delivery.chosen.model->graph), "Conv");
  EXPECT_TRUE(delivery.correct());
  EXPECT_FALSE(delivery.gain);
  const Graph& graph = delivery.chosen.model->graph;
  EXPECT_EQ(text_of(graph.value(graph.inputs()[0]).type),
            text_of(original.graph.value(original.graph.inputs()[0]).type));
  EXPECT_EQ(graph.value(graph.outputs()[0]).name, "y");
}

TEST(DeliveryTest, TheSameDecisionsGiveTheSameBytes) {
  const Model original = typed_model(kGraph, 10);
  const auto bytes = [&] { return onnx::encode(packaged(deliver(original, request()), request())); };
  EXPECT_EQ(bytes(), bytes());
}

TEST(DeliveryTest, TheSameTimingsOfOperatorsGiveTheSameBytes) {
  const Model original = typed_model(R"(g (float[2,4] x) => (y, z)
    <float[4,2] v = {1,2,3,4,5,6,7,8}, float[4,3] w = {1,2,3,4,5,6,7,8,9,10,11,12}> {
      y = MatMul(x, v)
      z = MatMul(x, w) })",
                                     10);
  DeliveryRequest with_timings = request();
  with_timings.make_static = [](Model& model) { infer_types(model); };
  Model merged = original;
  ASSERT_EQ(apply_everywhere(merged, select_rules("merge"), {}), 1u);
  infer_types(merged);
  const auto add_timings = [&](const Model& model, double seconds) {
    for (const NodeId id : model.graph.nodes())
      with_timings.timings.add({.context = {.hardware = "here", .runtime = "runtime"},
                                .config = node_config(model, id),
                                .seconds = seconds});
  };
  add_timings(original, 1e-3);
  add_timings(merged, 1e-6);
  const auto bytes = [&] { return onnx::encode(packaged(deliver(original, with_timings), with_timings)); };
  const Delivery delivery = deliver(original, with_timings);
  EXPECT_EQ(operators(delivery.chosen.model->graph), "MatMul Split");
  ASSERT_EQ(delivery.chosen.steps.size(), 1u);
  EXPECT_EQ(delivery.chosen.steps[0].name, "search greedy");
  EXPECT_TRUE(delivery.correct());
  EXPECT_EQ(bytes(), bytes());
}

TEST(DeliveryTest, MetadataOfTheOriginalStaysBesideOurs) {
  Model original = typed_model(kGraph, 10);
  const Entry author[] = {{"author", "somebody"}};
  original.notes = with_entries(original.notes, author);
  const Model written = packaged(deliver(original, request()), request());
  EXPECT_EQ(entry_of(written, "author"), "somebody");
  EXPECT_EQ(entry_of(written, "hone.verified"), "equal");
  EXPECT_EQ(entry_of(written, "hone.source_sha256").size(), 64u);
  EXPECT_NE(entry_of(written, "hone.decisions").find("rules fold"), std::string::npos);
}

TEST(DeliveryTest, NodesCarryTheirOriginOnlyWhereTheVersionHasRoomForIt) {
  for (const int version : {8, 10}) {
    const Model original = typed_model(kGraph, version);
    const Delivery delivery = deliver(original, request());
    EXPECT_EQ(made_by_rules(packaged(delivery, request()).graph).empty(), version < 10);
    const auto nodes = delivery_json(delivery, request(), original)["nodes"];
    ASSERT_EQ(nodes.size(), 1u);
    EXPECT_EQ(nodes[0]["rule"], "conv-batch-normalization");
    EXPECT_EQ(nodes[0]["from"].size(), 2u);
  }
}

}  // namespace
}  // namespace hone
