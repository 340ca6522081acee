#include "graph/ir/bodies.h"

#include <memory>

namespace hone {
namespace {

/// Changes one body; `captured` are the outer values behind its captures, of which the still needed ones are returned.
struct Changed {
  SharedGraph body;
  std::vector<ValueId> captured;
  bool changed = false;
};

Changed change_body(const SharedGraph& body, std::span<const ValueId> captured,
                    const std::function<bool(Graph&)>& change) {
  auto copy = std::make_shared<Graph>(*body);
  if (!change(*copy)) return {body, {captured.begin(), captured.end()}, false};
  std::vector<ValueId> needed(captured.begin(), captured.end());
  for (std::size_t i = needed.size(); i-- > 0;) {
    const ValueId inner = copy->captures()[i];
    if (!copy->users(inner).empty() || copy->is_output(inner)) continue;
    copy->remove_capture(i);
    needed.erase(needed.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {std::move(copy), std::move(needed), true};
}

}  // namespace

std::size_t change_bodies(Graph& graph, const BodyChange& change) {
  std::size_t changes = 0;
  for (const NodeId id : graph.nodes()) {
    if (graph.node(id).attributes->empty()) continue;
    Attributes attributes = *graph.node(id).attributes;
    const std::vector<ValueId> before(graph.node(id).captured_inputs().begin(), graph.node(id).captured_inputs().end());
    std::span<const ValueId> rest = before;
    std::vector<ValueId> captured;
    std::size_t changed_here = 0;
    const auto apply = [&](SharedGraph& body) {
      const std::size_t count = body->captures().size();
      Changed result = change_body(body, rest.first(count), [&](Graph& copy) { return change(graph.node(id), copy); });
      rest = rest.subspan(count);
      body = std::move(result.body);
      captured.insert(captured.end(), result.captured.begin(), result.captured.end());
      changed_here += result.changed ? 1 : 0;
    };
    for (Attribute& attribute : attributes) {
      if (auto* body = std::get_if<SharedGraph>(&attribute.value)) apply(*body);
      if (auto* bodies = std::get_if<std::vector<SharedGraph>>(&attribute.value))
        for (SharedGraph& body : *bodies) apply(body);
    }
    if (changed_here == 0) continue;
    graph.set_attributes(id, std::move(attributes));
    graph.set_captured_inputs(id, captured);
    changes += changed_here;
  }
  return changes;
}

}  // namespace hone
