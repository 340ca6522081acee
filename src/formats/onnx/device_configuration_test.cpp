#include "formats/onnx/device_configuration.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/ir/parse.h"

namespace hone::onnx {
namespace {

Model one_node() {
  return parse_model(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (y) { y = Neg (x) })", "text");
}

TEST(DeviceConfigurationTest, UsesThePublishedFieldNumbers) {
  Model model = one_node();
  const DevicePlacement placement[] = {{.device = 1, .stage = 2}};
  annotate_devices(model, {.name = "c", .devices = {"p", "q"}}, placement);
  // configuration = 26 {name = 1, num_devices = 2, device = 3}
  EXPECT_EQ(model.notes->residue, std::string("\xd2\x01\x0b\x0a\x01"
                                              "c\x10\x02\x1a\x01p\x1a\x01q"));
  // device_configurations = 10 {configuration_id = 1, sharding_spec = 2 {tensor_name = 1, device = 2},
  // pipeline_stage = 3}
  EXPECT_EQ(model.graph.node(NodeId(0)).notes->residue, std::string("\x52\x0c\x0a\x01"
                                                                    "c\x12\x05\x0a\x01y\x10\x01\x18\x02"));
}

TEST(DeviceConfigurationTest, MalformedFieldsAreAnErrorAndNodesOnSeveralDevicesAreCounted) {
  Model model = one_node();
  Notes configuration, node;
  configuration.residue =
      "\xd2\x01\x03\x0a\x01"
      "c";
  node.residue =
      "\x52\x0b\x0a\x01"
      "c\x12\x06\x12\x04\x01\x02\x01\x07";
  model.notes = std::make_shared<const Notes>(configuration);
  model.graph.set_node_notes(NodeId(0), std::make_shared<const Notes>(node));
  EXPECT_EQ(configurations_of(model).at(0).spread, 1u);
  node.residue = "\x50\x01";
  model.graph.set_node_notes(NodeId(0), std::make_shared<const Notes>(node));
  EXPECT_THROW(configurations_of(model), InputError);
}

}  // namespace
}  // namespace hone::onnx
