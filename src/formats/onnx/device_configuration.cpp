#include "formats/onnx/device_configuration.h"

#include <algorithm>
#include <optional>

#include "base/distinct.h"
#include "base/error.h"
#include "base/sentence.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/ir_version.h"
#include "formats/onnx/metadata.h"

namespace hone::onnx {
namespace {

constexpr std::int64_t kFirstIrVersion = 11;  // with multi-device fields

/// The kept fields without those of `number` that are about the configuration called `name`; in a
/// DeviceConfigurationProto as in a NodeDeviceConfigurationProto, field 1 says which it is.
std::string without(std::string_view residue, std::uint32_t number, std::string_view name) {
  static_assert(+configuration_field::name == +node_configuration_field::configuration_id);
  std::string kept;
  WireReader reader(as_bytes(residue));
  while (const auto field = reader.next())
    if (field->number != number || text_field(field->message(), configuration_field::name) != name)
      kept += as_text(field->raw);
  return kept;
}

/// Notes with one more encoded field, in the place of those that `without` takes out.
SharedNotes with_field(const SharedNotes& before, std::uint32_t number, std::string_view name, WireWriter message) {
  Notes notes = notes_of(before);
  WireWriter field;
  field.message(number, std::move(message));
  notes.residue = without(notes.residue, number, name) + field.flatten();
  return share(std::move(notes));
}

WireWriter encode(const DeviceConfiguration& configuration) {
  WireWriter message;
  message.text(configuration_field::name, configuration.name);
  message.integer(configuration_field::num_devices, static_cast<std::int64_t>(configuration.devices.size()));
  for (const std::string& device : configuration.devices) message.text(configuration_field::device, device);
  return message;
}

WireWriter encode(const Graph& graph, const Node& node, std::string_view configuration, DevicePlacement placement) {
  WireWriter message;
  message.text(node_configuration_field::configuration_id, configuration);
  for (const ValueId output : node.outputs) {
    if (!output.valid()) continue;
    WireWriter spec;
    spec.text(sharding_field::tensor_name, graph.value(output).name);
    spec.integer(sharding_field::device, placement.device);
    message.message(node_configuration_field::sharding_spec, std::move(spec));
  }
  message.integer(node_configuration_field::pipeline_stage, placement.stage);
  return message;
}

/// Every device that a node's tensors lie on, once each.
std::vector<std::int64_t> devices_in(Bytes node_configuration) {
  std::vector<std::int64_t> devices;
  WireReader reader(node_configuration);
  while (const auto field = reader.next()) {
    if (field->number != node_configuration_field::sharding_spec) continue;
    WireReader spec(field->message());
    while (const auto inner = spec.next())
      if (inner->number == sharding_field::device) append_integers(*inner, devices);
  }
  return distinct(std::move(devices));
}

ConfigurationUse read_configuration(Bytes message) {
  ConfigurationUse use;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == configuration_field::name) use.name = field->text();
    if (field->number == configuration_field::device) use.devices.emplace_back(field->text());
  }
  return use;
}

void count(const Node& node, std::vector<ConfigurationUse>& uses) {
  WireReader reader(as_bytes(notes_of(node.notes).residue));
  while (const auto field = reader.next()) {
    if (field->number != node_field::device_configurations) continue;
    const std::string_view name = text_field(field->message(), node_configuration_field::configuration_id);
    const auto use = std::ranges::find(uses, name, &ConfigurationUse::name);
    if (use == uses.end()) continue;
    const std::vector<std::int64_t> devices = devices_in(field->message());
    if (devices.size() == 1) ++use->nodes[devices.front()];
    if (devices.size() > 1) ++use->spread;
  }
}

}  // namespace

void annotate_devices(Model& model, const DeviceConfiguration& configuration,
                      std::span<const DevicePlacement> placements) {
  Graph& graph = model.graph;
  raise_ir_version(model, kFirstIrVersion);
  model.notes = with_field(model.notes, model_field::configuration, configuration.name, encode(configuration));
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    graph.set_node_notes(id, with_field(node.notes, node_field::device_configurations, configuration.name,
                                        encode(graph, node, configuration.name, placements[id.index()])));
  }
}

std::vector<ConfigurationUse> configurations_of(const Model& model) {
  return within(model.source, [&] {
    std::vector<ConfigurationUse> uses;
    WireReader reader(as_bytes(notes_of(model.notes).residue));
    while (const auto field = reader.next())
      if (field->number == model_field::configuration) uses.push_back(read_configuration(field->message()));
    if (!uses.empty())
      for (const NodeId id : model.graph.nodes()) count(model.graph.node(id), uses);
    return uses;
  });
}

}  // namespace hone::onnx
