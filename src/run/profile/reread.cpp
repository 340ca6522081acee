#include "run/profile/reread.h"

#include <map>

#include "graph/ir/order.h"

namespace hone {

double reread_bytes(const Graph& graph, double cache_bytes) {
  const auto bytes_of = [&](ValueId id) {
    return id.valid() ? static_cast<double>(byte_size(graph.value(id).type).value_or(0)) : 0;
  };
  std::map<ValueId, double> last_use;  // in bytes moved by then
  double moved = 0, cold = 0;
  for (const NodeId id : topological_order(graph)) {
    const Node& node = graph.node(id);
    const double before = moved;
    for (const ValueId input : node.inputs) moved += bytes_of(input);
    for (const ValueId output : node.outputs) moved += bytes_of(output);
    for (const ValueId input : node.inputs) {
      if (!input.valid() || graph.value(input).constant) continue;
      const double bytes = bytes_of(input);
      if (bytes <= cache_bytes / 2 && before - last_use[input] > cache_bytes) cold += bytes;
      last_use[input] = moved;
    }
    for (const ValueId output : node.outputs) last_use[output] = moved;
  }
  return cold;
}

}  // namespace hone
