#include "graph/ir/order.h"

#include "base/error.h"

namespace hone {
namespace {

enum class Mark : std::uint8_t { unseen, open, done };

struct Frame {
  NodeId node;
  std::size_t next_input = 0;
};

}  // namespace

std::vector<NodeId> topological_order(const Graph& graph) {
  std::vector<NodeId> order;
  order.reserve(graph.node_count());
  std::vector<Mark> marks(graph.node_slots(), Mark::unseen);
  std::vector<Frame> stack;
  for (std::size_t i = 0; i < graph.node_slots(); ++i) {
    if (!graph.alive(NodeId(i)) || marks[i] == Mark::done) continue;
    stack.push_back({NodeId(i)});
    marks[i] = Mark::open;
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const Node& node = graph.node(frame.node);
      if (frame.next_input == node.inputs.size()) {
        marks[frame.node.index()] = Mark::done;
        order.push_back(frame.node);
        stack.pop_back();
        continue;
      }
      const ValueId input = node.inputs[frame.next_input++];
      if (!input.valid()) continue;
      const NodeId producer = graph.value(input).producer;
      if (!producer.valid() || marks[producer.index()] == Mark::done) continue;
      if (marks[producer.index()] == Mark::open)
        fail("graph '{}': node '{}' ({}) depends on its own output through '{}'", graph.name, node.name,
             node.op->text(), graph.value(input).name);
      marks[producer.index()] = Mark::open;
      stack.push_back({producer});
    }
  }
  return order;
}

}  // namespace hone
