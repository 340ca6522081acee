#include "plan/emit/annotate.h"

#include "base/version.h"
#include "formats/onnx/device_configuration.h"
#include "graph/ir/node_notes.h"

namespace hone {
namespace {

void note_places(Graph& graph, const Machine& machine, const Placement& placement) {
  std::vector<std::size_t> order_of(graph.node_slots(), placement.order.size());
  for (std::size_t i = 0; i < placement.order.size(); ++i) order_of[placement.order[i].index()] = i;
  for (const NodeId id : graph.nodes()) {
    const Placement::Place& place = placement.place_of[id.index()];
    std::vector<Entry> entries{{"hone.device", machine.device(place.device).name},
                               {"hone.stream", std::to_string(place.stream)}};
    if (const std::size_t order = order_of[id.index()]; order < placement.order.size())
      entries.emplace_back("hone.order", std::to_string(order));
    graph.set_node_notes(id, with_entries(graph.node(id).notes, entries));
  }
}

}  // namespace

Model annotate(Model model, const Machine& machine, const Placement& placement) {
  onnx::DeviceConfiguration configuration{.name = std::string(kConfigurationName), .devices = {}};
  for (const Device& device : machine.devices) configuration.devices.push_back(device.name);
  std::vector<onnx::DevicePlacement> placements;
  for (const Placement::Place& place : placement.place_of)
    placements.push_back({.device = place.device.index(), .stage = place.stage});
  onnx::annotate_devices(model, configuration, placements);
  note_places(model.graph, machine, placement);
  const Entry entries[] = {{"hone.version", std::string(version())}, {"hone.hardware", machine.name}};
  model.notes = with_entries(model.notes, entries);
  return model;
}

}  // namespace hone
