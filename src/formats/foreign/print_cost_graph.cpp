#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "formats/foreign/cost_graph.h"

namespace hone {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// Writes operations as nodes 0, 1, ... in topological order, after the inputs of the graph.
class CostGraphPrinter {
 public:
  explicit CostGraphPrinter(const Workload& workload)
      : workload_(workload), node_of_(workload.buffer_count(), 0), port_of_(workload.buffer_count(), 0) {}

  std::string run() && {
    for (std::size_t i = 0; i < workload_.buffer_count(); ++i)
      if (workload_.buffer(BufferId(i)).kind == Buffer::Kind::input) print_source(BufferId(i));
    for (const OperationId id : workload_.topological_order()) print_operation(id);
    return std::move(text_);
  }

 private:
  void add(std::string_view line) { text_.append("  ").append(line).append("\n"); }

  void open(std::string_view name) {
    text_ += "node {\n";
    add("name: " + quoted(name));
    add(fmt::format("id: {}", next_node_));
  }

  void close() {
    text_ += "}\n";
    ++next_node_;
  }

  void print_output(BufferId id, std::int64_t alias_port, std::size_t port) {
    node_of_[id.index()] = next_node_;
    port_of_[id.index()] = port;
    add(fmt::format("output_info {{ size: {:.0f} alias_input_port: {} }}", workload_.buffer(id).bytes, alias_port));
  }

  void print_source(BufferId id) {
    open(workload_.buffer(id).name);
    print_output(id, -1, 0);
    close();
  }

  void print_operation(OperationId id) {
    const Operation& operation = workload_.operation(id);
    open(operation.name);
    double persistent_bytes = 0;
    std::unordered_map<BufferId, std::int64_t> input_port;
    for (const BufferId input : workload_.inputs(id)) {
      if (workload_.buffer(input).kind == Buffer::Kind::weight) {
        persistent_bytes += workload_.buffer(input).bytes;
        continue;
      }
      input_port.emplace(input, static_cast<std::int64_t>(input_port.size()));
      add(fmt::format("input_info {{ preceding_node: {} preceding_port: {} }}", node_of_[input.index()],
                      port_of_[input.index()]));
    }
    bool is_final = false;
    std::size_t port = 0;
    for (const BufferId output : workload_.outputs(id)) {
      const auto alias = input_port.find(workload_.buffer(output).alias_of);
      print_output(output, alias == input_port.end() ? -1 : alias->second, port++);
      is_final |= workload_.buffer(output).is_output;
    }
    if (persistent_bytes > 0) add(fmt::format("persistent_memory_size: {:.0f}", persistent_bytes));
    const double seconds = operation.seconds.empty() ? 0 : operation.seconds.front();
    if (std::isfinite(seconds)) add(fmt::format("compute_cost: {}", std::llround(seconds * 1e6)));
    if (is_final) add("is_final: true");
    close();
  }

  const Workload& workload_;
  std::vector<std::size_t> node_of_, port_of_;  // by buffer, once it is printed
  std::size_t next_node_ = 0;
  std::string text_;
};

}  // namespace

std::string print_cost_graph(const Workload& workload) { return CostGraphPrinter(workload).run(); }

}  // namespace hone
