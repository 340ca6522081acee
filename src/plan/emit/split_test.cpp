#include "plan/emit/split.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "graph/ir/parse.h"
#include "plan/emit/placed_case_test.h"
#include "run/reference/reference.h"
#include "run/verify/inputs.h"
#include "zoo/registry.h"

namespace hone {
namespace {

Model parsed(const std::string& graph) {
  return parse_model("<ir_version: 10, opset_import: [\"\" : 21]>\n" + graph, "text");
}

/// Runs pieces in order, handing outputs to inputs of the same name.
std::map<std::string, Datum> run_pieces(const std::vector<Piece>& pieces, std::map<std::string, Datum> at_hand) {
  for (const Piece& piece : pieces) {
    const Model model = read_again(piece.model);
    std::vector<Datum> inputs;
    for (const ValueId id : model.graph.inputs()) {
      const Value& value = model.graph.value(id);
      EXPECT_TRUE(at_hand.contains(value.name)) << value.name << " is read before it is there";
      inputs.push_back(at_hand[value.name]);
    }
    const std::vector<Datum> outputs = ReferenceInterpreter(model).run(inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      at_hand[model.graph.value(model.graph.outputs()[i]).name] = outputs[i];
  }
  return at_hand;
}

void expect_same_results(const PlacedCase& placed) {
  const Graph& graph = placed.model.graph;
  const std::vector<Datum> inputs = random_inputs(placed.model, 7);
  const std::vector<Datum> expected = ReferenceInterpreter(placed.model).run(inputs);
  std::map<std::string, Datum> given;
  for (std::size_t i = 0; i < inputs.size(); ++i) given[graph.value(graph.inputs()[i]).name] = inputs[i];
  const auto found = run_pieces(split(placed.model, placed.placement), given);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string& name = graph.value(graph.outputs()[i]).name;
    EXPECT_TRUE(found.at(name).tensor() == expected[i].tensor()) << name << " differs";
  }
}

class SplitZooTest : public testing::TestWithParam<const char*> {};

TEST_P(SplitZooTest, PiecesComputeWhatTheWholeDoes) {
  const PlacedCase placed = placed_case(build_zoo(GetParam()), "p100-4", 1);
  expect_same_results(placed);
}

INSTANTIATE_TEST_SUITE_P(
    Small, SplitZooTest,
    testing::Values("unet:resolution=16,width=4,depth=2,seed=3",
                    "bert:length=6,layers=2,hidden=16,heads=2,feed_forward=32,vocabulary=20,batch=2,seed=3",
                    "rnnlm:length=4,layers=2,hidden=8,vocabulary=12,batch=2,training=true,optimizer=adam,seed=3",
                    "gnmt:length=4,layers=4,hidden=8,vocabulary=12,batch=2,weights=splat",
                    "mamba:length=5,layers=2,hidden=16,states=4,vocabulary=20,batch=2,seed=3",
                    "graphnets:nodes=5,edges=9,features=3,hidden=8,rounds=2,outputs=2,seed=3"),
    [](const auto& test) {
      const std::string spec = test.param;
      return spec.substr(0, spec.find(':'));
    });

TEST(SplitTest, BodiesStayWithTheirNodeAndGetWhatTheyCapture) {
  const Model model =
      parsed(R"(g (bool c, float[3] x, float[3] w = {1, 2, 3}) => (y, z, i, x) <float[3] k = {4, 5, 6}> {
      a = Relu (x) b = Mul (a, k) i = Neg (b)
      y = If (c) <then_branch = t () => (p) { q = Add (a, b) p = Mul (q, k) },
                  else_branch = e () => (u) { u = If (c) <then_branch = tt () => (r) { r = Sub (a, w) },
                                                          else_branch = te () => (s) { s = Div (b, w) }> }>
      l = Constant <value = float[3] {7, 8, 9}> ()
      d = Abs (y) z = Add (d, l) })");
  for (std::uint64_t seed = 0; seed < 12; ++seed) expect_same_results(placed_case(model, "p100-4", seed));
}

TEST(SplitTest, EachStageNeedsOnlyEarlierOnes) {
  const PlacedCase placed = placed_case(
      build_zoo("bert:length=6,layers=2,hidden=16,heads=2,feed_forward=32,vocabulary=20,batch=2,weights=zero"),
      "p100-4", 2);
  const std::vector<Piece> pieces = split(placed.model, placed.placement);
  std::map<std::string, std::uint32_t> stage_of;
  std::size_t nodes = 0;
  for (const Piece& piece : pieces) {
    const Graph& graph = piece.model.graph;
    for (const ValueId id : graph.inputs()) {
      const auto made = stage_of.find(graph.value(id).name);
      EXPECT_TRUE(made == stage_of.end() || made->second < piece.stage);
    }
    for (const ValueId id : graph.outputs()) stage_of[graph.value(id).name] = piece.stage;
    for (const NodeId id : graph.nodes()) nodes += graph.node(id).op->is("Constant") ? 0 : 1;
  }
  EXPECT_EQ(nodes, placed.workload.operation_count());
}

TEST(SplitTest, TheManifestSaysWhereEveryTensorComesFromAndGoesTo) {
  PlacedCase placed = placed_case(parsed("g (float[2] x, float[2] v) => (y, x) { a = Relu (x) b = Neg (a) unused = Abs "
                                         "(b) y = Add (a, b) z = Add (v, v) }"),
                                  "p100-2", 0);
  placed.plan.device_of = {DeviceId(0), DeviceId(1), DeviceId(1), DeviceId(0), DeviceId(0)};
  const Execution execution = carry_out(placed.workload, placed.machine, placed.plan);
  const std::vector<Piece> pieces = split(placed.model, place_nodes(placed.model.graph, execution));
  const nlohmann::ordered_json found = manifest(placed.model, placed.machine, pieces);
  EXPECT_EQ(
      found["pieces"].dump(),
      R"([{"file":"model.p100-0.0.onnx","device":"p100:0","stage":0,"nodes":1,"inputs":["x"],"outputs":["a","x"]},)"
      R"({"file":"model.p100-1.1.onnx","device":"p100:1","stage":1,"nodes":1,"inputs":["a"],"outputs":["b"]},)"
      R"({"file":"model.p100-0.2.onnx","device":"p100:0","stage":2,"nodes":1,"inputs":["a","b"],"outputs":["y"]}])");
  EXPECT_EQ(found["tensors"].dump(), R"([{"tensor":"x","type":"float[2]","bytes":8,"from":null,"to":[0]},)"
                                     R"({"tensor":"a","type":"float[2]","bytes":8,"from":0,"to":[1,2]},)"
                                     R"({"tensor":"b","type":"float[2]","bytes":8,"from":1,"to":[2]}])");
  EXPECT_EQ(found["outputs"].dump(), R"([{"tensor":"y","from":2},{"tensor":"x","from":0}])");
}

TEST(SplitTest, AModelThatComputesNothingIsOnePiece) {
  const PlacedCase placed = placed_case(parsed("g (float[2] x) => (x, k) <float[2] k = {1, 2}> { }"), "p100-2", 0);
  EXPECT_EQ(split(placed.model, placed.placement).size(), 1u);
  expect_same_results(placed);
}

TEST(SplitTest, TheCheckNamesWhatIsWrong) {
  const PlacedCase placed = placed_case(parsed("g (float[2] x) => (y) { a = Relu (x) y = Neg (a) }"), "p100-2", 0);
  std::vector<Piece> pieces = split(placed.model, placed.placement);
  EXPECT_EQ(check_pieces(placed.model, pieces), std::nullopt);
  pieces.pop_back();
  EXPECT_EQ(check_pieces(placed.model, pieces), "output 'y' is made by no piece");
  const PlacedCase other = placed_case(parsed("g (float[2] x) => (y) { a = Abs (x) y = Neg (a) }"), "p100-2", 0);
  EXPECT_EQ(check_pieces(placed.model, split(other.model, other.placement)),
            "piece 0: node '' (Abs) is not the model's");
}

}  // namespace
}  // namespace hone
