#include "run/onnxruntime/plan_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/output_file.h"
#include "formats/onnx/ir_version.h"
#include "formats/onnx/write.h"
#include "graph/ir/node_notes.h"
#include "plan/emit/device_names.h"

namespace hone::ort {
namespace {

constexpr std::int64_t kFirstIrVersion = 10;  // with metadata of nodes

/// What ONNX Runtime calls a type of device: the word of layer assignments and the number of stream files.
struct DeviceType {
  std::string_view word;
  std::string_view number;
};

constexpr DeviceType kGpu{"gpu", "1"};
constexpr std::array kOtherTypes{DeviceType{"cpu", "0"}, DeviceType{"fpga", "2"}, DeviceType{"npu", "3"}};

DeviceType device_type(const Machine& machine, DeviceId device) {
  for (const DeviceType& type : kOtherTypes)
    if (machine.kind(device).name.starts_with(type.word)) return type;
  return kGpu;
}

/// `gpu`, or `gpu:1` for the second of several.
std::string designator(const Machine& machine, DeviceId device) {
  const std::string_view word = device_type(machine, device).word;
  std::size_t before = 0, all = 0;
  for (std::size_t i = 0; i < machine.device_count(); ++i) {
    if (device_type(machine, DeviceId(i)).word != word) continue;
    ++all;
    before += i < device.index() ? 1 : 0;
  }
  return all == 1 ? std::string(word) : fmt::format("{}:{}", word, before);
}

/// What an annotation begins with. The dot keeps `gpu1` from being a prefix of `gpu10`.
std::string prefix(std::string_view device_name) { return fmt::format("hone.{}.", device_name); }

std::set<DeviceId> used_devices(const Placement& placement) {
  std::set<DeviceId> used;
  for (const NodeId id : placement.order) used.insert(placement.place_of[id.index()].device);
  return used;
}

std::string layer_assignment(const Machine& machine, const Placement& placement) {
  const std::vector<std::string> names = plain_device_names(machine);
  std::string text;
  for (const DeviceId device : used_devices(placement))
    text +=
        fmt::format("{}{}({})", text.empty() ? "" : "; ", designator(machine, device), prefix(names[device.index()]));
  return text;
}

void annotate_layers(Graph& graph, const Machine& machine, const Placement& placement) {
  const std::vector<std::string> names = plain_device_names(machine);
  for (const NodeId id : graph.nodes()) {
    const Placement::Place& place = placement.place_of[id.index()];
    const Entry entries[] = {{"layer_ann", prefix(names[place.device.index()]) + std::to_string(place.stage)}};
    graph.set_node_notes(id, with_entries(graph.node(id).notes, entries));
  }
}

/// One stream of nodes for each stream of each device, in the order in which the nodes start.
nlohmann::ordered_json streams(const Graph& graph, const Machine& machine, const Placement& placement) {
  std::map<std::pair<DeviceId, std::uint32_t>, std::vector<std::string>> nodes;
  for (const NodeId id : placement.order) {
    const Placement::Place& place = placement.place_of[id.index()];
    nodes[{place.device, place.stream}].push_back(graph.node(id).name);
  }
  nlohmann::ordered_json file{{"type", "DeviceBasedPartitioner"},
                              {"streams", nlohmann::ordered_json::array()},
                              {"devices", nlohmann::ordered_json::array()}};
  for (const auto& [place, names] : nodes) {
    file["streams"].push_back(names);
    file["devices"].push_back(device_type(machine, place.first).number);
  }
  return file;
}

bool fits_one_session(const Machine& machine, const Placement& placement) {
  std::set<std::string_view> types;
  const std::set<DeviceId> used = used_devices(placement);
  return std::ranges::all_of(used,
                             [&](DeviceId device) { return types.insert(device_type(machine, device).word).second; });
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace

OrtDelivery deliver_to_ort(Model model, const Machine& machine, const Placement& placement) {
  OrtDelivery delivery{.model = std::move(model)};
  Graph& graph = delivery.model.graph;
  onnx::raise_ir_version(delivery.model, kFirstIrVersion);
  delivery.named = name_nodes(graph);
  annotate_layers(graph, machine, placement);
  delivery.layer_assignment = layer_assignment(machine, placement);
  delivery.streams = streams(graph, machine, placement);
  delivery.one_session = fits_one_session(machine, placement);
  return delivery;
}

std::string OrtPlanForm::write(const Model& model, const Machine& machine, const Placement& placement,
                               const std::filesystem::path& folder) const {
  const OrtDelivery delivery = deliver_to_ort(model, machine, placement);
  onnx::write(delivery.model, folder / "model.onnx");
  write_text(folder / "layer_assignment.txt", delivery.layer_assignment + "\n");
  write_text(folder / index_file(),
             delivery.streams.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  std::string text =
      fmt::format("settings for ONNX Runtime, {}", counted(delivery.streams["streams"].size(), "stream"));
  if (delivery.named > 0) text += fmt::format("; {} given a unique name", counted(delivery.named, "node"));
  if (model.ir_version != delivery.model.ir_version)
    text += fmt::format("; IR version raised to {}", *delivery.model.ir_version);
  if (!delivery.one_session)
    text += "; the plan uses several devices of one type, a session has one: split the model to use them all";
  return text;
}

}  // namespace hone::ort
