#include "formats/foreign/fiddle.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "base/text_file.h"
#include "formats/foreign/json_reader.h"

namespace hone {
namespace {

struct FiddleNode {
  std::string name;
  std::int64_t id = 0;
  bool runs_on_accelerator = true;
  bool is_backward = false;
  double cpu_latency = 0, accelerator_latency = 0, bytes = 0;
  std::int64_t colour = -1;  // none
  double transfer = 0;       // to move its result, the same to wherever it goes
  std::vector<std::size_t> predecessors;
};

struct Edge {
  std::int64_t source = 0, target = 0;
  double cost = 0;
};

/// What the file says, before it becomes a workload.
struct Document {
  double accelerator_bytes = 0;
  std::int64_t accelerators = 0, cpus = 0;
  std::vector<FiddleNode> nodes;
  std::vector<Edge> edges;
};

FiddleNode read_fiddle_node(JsonReader& json) {
  FiddleNode node;
  json.object([&](std::string_view key) {
    if (key == "name") node.name = json.string();
    else if (key == "id") node.id = json.integer();
    else if (key == "supportedOnFpga") node.runs_on_accelerator = json.truth();
    else if (key == "cpuLatency") node.cpu_latency = json.number();
    else if (key == "fpgaLatency") node.accelerator_latency = json.number();
    else if (key == "isBackwardNode") node.is_backward = json.truth();
    else if (key == "colorClass") node.colour = json.integer();
    else if (key == "size") node.bytes = json.number();
    else json.skip();
  });
  if (node.name.empty()) node.name = fmt::format("node{}", node.id);
  constexpr std::int64_t kMaxColour = std::numeric_limits<std::int32_t>::max();
  if (node.colour > kMaxColour) json.fail_expecting("a colorClass below 2^31");
  return node;
}

Edge read_edge(JsonReader& json) {
  Edge edge;
  json.object([&](std::string_view key) {
    if (key == "sourceId") edge.source = json.integer();
    else if (key == "destId") edge.target = json.integer();
    else if (key == "cost") edge.cost = json.number();
    else json.skip();
  });
  return edge;
}

Document read_document(std::string_view text, const std::string& file) {
  JsonReader json(text, file);
  Document document;
  json.object([&](std::string_view key) {
    if (key == "maxSizePerFPGA") document.accelerator_bytes = json.number();
    else if (key == "maxFPGAs") document.accelerators = json.integer();
    else if (key == "maxCPUs") document.cpus = json.integer();
    else if (key == "nodes") json.array([&] { document.nodes.push_back(read_fiddle_node(json)); });
    else if (key == "edges") json.array([&] { document.edges.push_back(read_edge(json)); });
    else json.skip();
  });
  json.finish();
  return document;
}

void connect(Document& document, const std::string& file) {
  std::unordered_map<std::int64_t, std::size_t> by_id;
  for (std::size_t i = 0; i < document.nodes.size(); ++i)
    if (!by_id.emplace(document.nodes[i].id, i).second)
      fail("{}: a second node with id {}", file, document.nodes[i].id);
  const auto find = [&](std::int64_t id) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) fail("{}: an edge names node {}, which does not exist", file, id);
    return found->second;
  };
  for (const Edge& edge : document.edges) {
    FiddleNode& source = document.nodes[find(edge.source)];
    source.transfer = std::max(source.transfer, edge.cost);
    document.nodes[find(edge.target)].predecessors.push_back(by_id.at(edge.source));
  }
}

Workload lower(const Document& document, const std::string& file) {
  constexpr double kMilliseconds = FiddleProblem::kUnitSeconds;
  WorkloadBuilder builder(file);
  builder.set_device_kinds({"cpu", "accelerator"});
  for (const FiddleNode& node : document.nodes) {  // buffers 2i and 2i + 1: memory and result of node i
    Buffer memory;
    memory.name = node.name + ".memory";
    memory.bytes = node.bytes;
    memory.kind = Buffer::Kind::weight;
    builder.add_buffer(std::move(memory));
    Buffer result;
    result.name = node.name;
    result.transfer_seconds = kMilliseconds * node.transfer;
    builder.add_buffer(std::move(result));
  }
  for (std::size_t i = 0; i < document.nodes.size(); ++i) {
    const FiddleNode& node = document.nodes[i];
    Operation operation;
    operation.name = node.name;
    operation.op = "layer";
    operation.seconds = {kMilliseconds * node.cpu_latency, node.runs_on_accelerator
                                                               ? kMilliseconds * node.accelerator_latency
                                                               : std::numeric_limits<double>::quiet_NaN()};
    operation.colocate = node.colour < 0 ? 0 : static_cast<std::uint32_t>(node.colour) + 1;
    operation.backward = node.is_backward;
    std::vector<BufferId> inputs = {BufferId(2 * i)};
    for (const std::size_t before : node.predecessors) inputs.emplace_back(2 * before + 1);
    const BufferId result(2 * i + 1);
    builder.add_operation(std::move(operation), inputs, std::span(&result, 1));
  }
  return std::move(builder).build();
}

}  // namespace

FiddleProblem parse_fiddle(std::string_view text, const std::string& file) {
  Document document = read_document(text, file);
  connect(document, file);
  if (document.nodes.empty()) fail("{}: no nodes, expected a graph with \"nodes\" and \"edges\"", file);
  if (document.accelerators < 0 || document.cpus < 0 || !(document.accelerator_bytes >= 0))
    fail("{}: a negative number of devices or bytes", file);
  FiddleProblem problem{.workload = lower(document, file),
                        .accelerator_bytes = document.accelerator_bytes,
                        .accelerators = document.accelerators,
                        .cpus = document.cpus};
  for (const FiddleNode& node : document.nodes) problem.node_ids.push_back(node.id);
  return problem;
}

FiddleProblem read_fiddle(const std::filesystem::path& path) {
  return parse_fiddle(read_text_file(path).text, path.string());
}

Machine machine_of(const FiddleProblem& problem) {
  const std::int64_t count = problem.accelerators + problem.cpus;
  constexpr auto kMost = static_cast<std::int64_t>(kMaxDevices);
  if (problem.accelerators > kMost || problem.cpus > kMost || count > kMost || count == 0)
    fail("{}: {} accelerators and {} CPUs, expected 1 to {} devices", problem.workload.name, problem.accelerators,
         problem.cpus, kMost);
  DeviceKind accelerator, cpu;
  accelerator.name = accelerator.model = "accelerator";
  accelerator.memory_bytes = problem.accelerator_bytes;
  cpu.name = cpu.model = "cpu";
  cpu.memory_bytes = std::numeric_limits<double>::infinity();
  cpu.is_host = true;
  for (DeviceKind* const kind : {&accelerator, &cpu}) kind->flops.emplace_back(ElementType::float32, 1.0);
  Machine machine{.name = "as the problem states", .kinds = {std::move(accelerator), std::move(cpu)}};
  for (std::int64_t i = 0; i < problem.accelerators; ++i)
    machine.devices.push_back({fmt::format("accelerator:{}", i), 0});
  for (std::int64_t i = 0; i < problem.cpus; ++i) machine.devices.push_back({fmt::format("cpu:{}", i), 1});
  for (const Device& from : machine.devices)
    for (const Device& to : machine.devices) {
      machine.routes.push_back(&from == &to ? LinkId() : LinkId(machine.links.size()));
      if (&from != &to) machine.links.push_back({.name = from.name + " to " + to.name});
    }
  return machine;
}

}  // namespace hone
