#include "formats/foreign/cost_graph.h"

#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "formats/foreign/proto_text_reader.h"

namespace hone {
namespace {

constexpr double kMicroseconds = 1e-6;

struct Input {
  std::int64_t node = 0, port = 0;
};

struct Output {
  std::int64_t bytes = 0;
  std::int64_t alias_port = 0;
};

struct CostNode {
  std::string name;
  std::int64_t id = 0;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<std::int64_t> control_inputs;
  std::int64_t temporary_bytes = 0, persistent_bytes = 0, compute_cost = 0;
  bool is_final = false;
};

Input read_input(ProtoTextReader& reader) {
  Input input;
  reader.message([&](std::string_view key) {
    if (key == "preceding_node") input.node = reader.integer();
    else if (key == "preceding_port") input.port = reader.integer();
    else reader.skip();
  });
  return input;
}

Output read_output(ProtoTextReader& reader) {
  Output output;
  reader.message([&](std::string_view key) {
    if (key == "size") output.bytes = reader.integer();
    else if (key == "alias_input_port") output.alias_port = reader.integer();
    else reader.skip();
  });
  return output;
}

CostNode read_cost_node(ProtoTextReader& reader) {
  CostNode node;
  reader.message([&](std::string_view key) {
    if (key == "name") node.name = reader.string();
    else if (key == "id") node.id = reader.integer();
    else if (key == "input_info") node.inputs.push_back(read_input(reader));
    else if (key == "output_info") node.outputs.push_back(read_output(reader));
    else if (key == "temporary_memory_size") node.temporary_bytes = reader.integer();
    else if (key == "persistent_memory_size") node.persistent_bytes = reader.integer();
    else if (key == "compute_cost") node.compute_cost = reader.integer();
    else if (key == "is_final") node.is_final = reader.truth();
    else if (key == "control_input") reader.integers([&](std::int64_t id) { node.control_inputs.push_back(id); });
    else reader.skip();
  });
  if (node.name.empty()) node.name = fmt::format("node{}", node.id);
  return node;
}

/// Turns nodes, which may stand in any order, into operations.
class CostGraph {
 public:
  CostGraph(std::vector<CostNode> nodes, const std::string& file)
      : nodes_(std::move(nodes)), file_(file), builder_(file) {
    builder_.set_device_kinds({"device"});
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!by_id_.emplace(nodes_[i].id, i).second) fail("{}: a second node with id {}", file_, nodes_[i].id);
  }

  Workload run() && {
    std::size_t next = 0;
    for (const CostNode& node : nodes_) {
      first_buffer_.push_back(next);
      next += node.outputs.size();
    }
    for (const CostNode& node : nodes_) add_outputs(node);
    for (std::size_t i = 0; i < nodes_.size(); ++i) add_operation(i);
    for (std::size_t i = 0; i < nodes_.size(); ++i) add_dependencies(i);
    return std::move(builder_).build();
  }

 private:
  std::size_t index_of(std::int64_t id) const {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) fail("{}: a node reads node {}, which does not exist", file_, id);
    return found->second;
  }

  /// A node without outputs may still be waited for: then there is no data.
  std::optional<BufferId> buffer_of(const Input& input) const {
    const std::size_t node = index_of(input.node);
    const auto outputs = static_cast<std::int64_t>(nodes_[node].outputs.size());
    if (outputs == 0 && input.port == 0) return std::nullopt;
    if (input.port < 0 || input.port >= outputs)
      fail("{}: node {} has {} outputs, but one reads port {}", file_, input.node, outputs, input.port);
    return BufferId(first_buffer_[node] + static_cast<std::size_t>(input.port));
  }

  void add_outputs(const CostNode& node) {
    for (const Output& output : node.outputs) {
      Buffer buffer;
      buffer.name = node.name;
      buffer.bytes = static_cast<double>(output.bytes);
      buffer.is_output = node.is_final;
      const bool is_alias = output.alias_port >= 0 && static_cast<std::size_t>(output.alias_port) < node.inputs.size();
      if (is_alias)
        buffer.alias_of = buffer_of(node.inputs[static_cast<std::size_t>(output.alias_port)]).value_or(BufferId());
      builder_.add_buffer(std::move(buffer));
    }
  }

  void add_operation(std::size_t i) {
    const CostNode& node = nodes_[i];
    Operation operation;
    operation.name = node.name;
    operation.op = "node";
    operation.seconds = {kMicroseconds * static_cast<double>(node.compute_cost)};
    std::vector<BufferId> inputs, outputs;
    for (const Input& input : node.inputs)
      if (const std::optional<BufferId> buffer = buffer_of(input)) inputs.push_back(*buffer);
    for (std::size_t k = 0; k < node.outputs.size(); ++k) outputs.emplace_back(first_buffer_[i] + k);
    if (node.temporary_bytes > 0) outputs.push_back(add_memory(node, ".temporary", node.temporary_bytes));
    if (node.persistent_bytes > 0) inputs.push_back(add_memory(node, ".persistent", node.persistent_bytes));
    builder_.add_operation(std::move(operation), inputs, outputs);
  }

  void add_dependencies(std::size_t i) {
    for (const std::int64_t before : nodes_[i].control_inputs)
      builder_.add_dependency(OperationId(index_of(before)), OperationId(i));
    for (const Input& input : nodes_[i].inputs)
      if (!buffer_of(input)) builder_.add_dependency(OperationId(index_of(input.node)), OperationId(i));
  }

  BufferId add_memory(const CostNode& node, std::string_view suffix, std::int64_t bytes) {
    Buffer buffer;
    buffer.name = fmt::format("{}{}", node.name, suffix);
    buffer.bytes = static_cast<double>(bytes);
    if (suffix == ".persistent") buffer.kind = Buffer::Kind::weight;
    return builder_.add_buffer(std::move(buffer));
  }

  std::vector<CostNode> nodes_;
  const std::string& file_;
  WorkloadBuilder builder_;
  std::unordered_map<std::int64_t, std::size_t> by_id_;
  std::vector<std::size_t> first_buffer_;
};

}  // namespace

Workload parse_cost_graph(std::string_view text, const std::string& file) {
  ProtoTextReader reader(text, file);
  std::vector<CostNode> nodes;
  reader.top([&](std::string_view key) {
    if (key == "node") nodes.push_back(read_cost_node(reader));
    else reader.skip();
  });
  if (nodes.empty()) fail("{}: no nodes, expected 'node {{ ... }}'", file);
  return CostGraph(std::move(nodes), file).run();
}

}  // namespace hone
