#include "plan/emit/annotate.h"

#include <gtest/gtest.h>

#include <set>

#include "formats/onnx/device_configuration.h"
#include "graph/ir/compare.h"
#include "graph/ir/node_notes.h"
#include "graph/ir/parse.h"
#include "plan/emit/placed_case_test.h"
#include "zoo/registry.h"

namespace hone {
namespace {

TEST(ExecutionTest, StagesCountDevicesChanges) {
  const PlacedCase placed = small_case();
  std::vector<std::uint32_t> stages;
  for (const char* name : {"k", "a", "b", "z", "y"}) {
    const NodeId id = placed.model.graph.value(*placed.model.graph.find_value(name)).producer;
    stages.push_back(placed.placement.place_of[id.index()].stage);
  }
  EXPECT_EQ(stages, (std::vector<std::uint32_t>{0, 0, 1, 2, 1}));
}

TEST(ExecutionTest, ProducersComeBeforeReadersWhateverTakesNoTime) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const PlacedCase placed =
        placed_case(build_zoo("bert:length=6,layers=2,hidden=16,heads=2,feed_forward=32,vocabulary=20,weights=zero"),
                    "regal-2", seed);
    std::set<OperationId> done;
    for (const Execution::Step& step : placed.execution.steps) {
      for (const BufferId input : placed.workload.inputs(step.operation)) {
        const OperationId producer = placed.workload.buffer(input).producer;
        ASSERT_TRUE(!producer.valid() || done.contains(producer));
      }
      done.insert(step.operation);
      EXPECT_EQ(step.device, placed.plan.device(step.operation));
    }
    EXPECT_EQ(done.size(), placed.workload.operation_count());
  }
}

TEST(AnnotateTest, EveryNodeCarriesItsDeviceThroughAFile) {
  const PlacedCase placed = small_case();
  const Model model = read_again(annotate(placed.model, placed.machine, placed.placement));
  EXPECT_EQ(model.ir_version, 11);
  const std::vector<onnx::ConfigurationUse> uses = onnx::configurations_of(model);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].name, kConfigurationName);
  EXPECT_EQ(uses[0].devices, (std::vector<std::string>{"cpu", "gpu"}));
  EXPECT_EQ(uses[0].nodes, (std::map<std::int64_t, std::size_t>{{0, 3}, {1, 2}}));
  EXPECT_EQ(metadata(model, "b", "hone.device"), "gpu");
  EXPECT_EQ(metadata(model, "b", "hone.order"), "1");
  EXPECT_EQ(metadata(model, "k", "hone.order"), "none");
}

TEST(AnnotateTest, AnotherPlanReplacesTheFirstAndTouchesNothingElse) {
  PlacedCase placed = small_case();
  const Model first = read_again(annotate(placed.model, placed.machine, placed.placement));
  const Model again = annotate(first, placed.machine, placed.placement);
  EXPECT_TRUE(same_model(first, again));
  EXPECT_TRUE(same_structure(first.graph, placed.model.graph));
  Model with_others = placed.model;
  const std::vector<onnx::DevicePlacement> everything_on_one(placed.model.graph.node_slots());
  onnx::annotate_devices(with_others, {.name = "other", .devices = {"d"}}, everything_on_one);
  const auto uses = onnx::configurations_of(annotate(with_others, placed.machine, placed.placement));
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].nodes, (std::map<std::int64_t, std::size_t>{{0, 5}}));
}

TEST(NodeNotesTest, NamesAreMadeUniqueAndGivenOnesStay) {
  Model model = parse_model(R"(<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (d) { [b] a = Neg (x) b = Neg (a) [b] c = Neg (b) [b_1] d = Neg (c) })",
                            "text");
  EXPECT_EQ(name_nodes(model.graph), 2u);
  std::vector<std::string> names;
  for (const NodeId id : model.graph.nodes()) names.push_back(model.graph.node(id).name);
  EXPECT_EQ(names, (std::vector<std::string>{"b", "b_2", "b_3", "b_1"}));
}

}  // namespace
}  // namespace hone
