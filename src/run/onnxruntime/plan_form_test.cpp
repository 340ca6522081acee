#include "run/onnxruntime/plan_form.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/emit/placed_case_test.h"
#include "zoo/registry.h"

namespace hone::ort {
namespace {

TEST(OrtTest, SaysLayersAndStreamsInTheFormsOfOnnxRuntime) {
  const PlacedCase placed = small_case();
  const OrtDelivery delivery = deliver_to_ort(placed.model, placed.machine, placed.placement);
  EXPECT_EQ(delivery.layer_assignment, "cpu(hone.cpu.); gpu(hone.gpu.)");
  EXPECT_EQ(delivery.streams.dump(),
            R"({"type":"DeviceBasedPartitioner","streams":[["a","z"],["b","y"]],"devices":["0","1"]})");
  EXPECT_EQ(delivery.named, 5u);
  EXPECT_TRUE(delivery.one_session);
  const Model model = read_again(delivery.model);
  EXPECT_EQ(model.ir_version, 10);
  EXPECT_EQ(metadata(model, "z", "layer_ann"), "hone.cpu.2");
  EXPECT_EQ(metadata(model, "k", "layer_ann"), "hone.cpu.0");
}

TEST(OrtTest, SeveralDevicesOfOneTypeAreNumberedAndNoOneSession) {
  const PlacedCase placed = placed_case(
      build_zoo("bert:length=6,layers=1,hidden=16,heads=2,feed_forward=32,vocabulary=20,weights=zero"), "p100-2", 1);
  const OrtDelivery delivery = deliver_to_ort(placed.model, placed.machine, placed.placement);
  EXPECT_EQ(delivery.layer_assignment, "gpu:0(hone.p100-0.); gpu:1(hone.p100-1.)");
  EXPECT_FALSE(delivery.one_session);
  std::set<std::string> names;
  for (const auto& stream : delivery.streams["streams"])
    for (const auto& name : stream) names.insert(name.get<std::string>());
  EXPECT_EQ(names.size(), placed.workload.operation_count());
}

}  // namespace
}  // namespace hone::ort
