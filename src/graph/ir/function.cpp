#include "graph/ir/function.h"

#include <memory>

#include "base/error.h"
#include "graph/ir/scope.h"

namespace hone {
namespace {

Attributes bind_attributes(const Attributes& attributes, const Function& function, const Node& call);

SharedGraph bind_body(const SharedGraph& body, const Function& function, const Node& call) {
  auto bound = std::make_shared<Graph>(*body);
  for (const NodeId id : bound->nodes())
    bound->set_attributes(id, bind_attributes(*bound->node(id).attributes, function, call));
  return bound;
}

Attributes bind_attributes(const Attributes& attributes, const Function& function, const Node& call) {
  Attributes bound;
  for (Attribute attribute : attributes) {
    if (auto* body = std::get_if<SharedGraph>(&attribute.value)) *body = bind_body(*body, function, call);
    if (auto* bodies = std::get_if<std::vector<SharedGraph>>(&attribute.value))
      for (SharedGraph& body : *bodies) body = bind_body(body, function, call);
    if (!attribute.reference.empty()) {
      const Attribute* given = call.attribute(attribute.reference);
      if (given == nullptr) given = find(function.defaults, attribute.reference);
      if (given == nullptr) continue;
      // What such a graph reads is known where the call stands, not where the function's node does.
      if (capture_count({*given}) > 0)
        fail("function '{}': attribute '{}' is a graph that reads values around the call", function.op->text(),
             given->name);
      attribute.value = given->value;
      attribute.reference.clear();
    }
    bound.push_back(std::move(attribute));
  }
  return bound;
}

}  // namespace

Graph instantiate(const Function& function, const Node& call) {
  Graph body = function.body;
  for (const NodeId id : body.nodes())
    if (!body.node(id).attributes->empty())
      body.set_attributes(id, bind_attributes(*body.node(id).attributes, function, call));
  return body;
}

}  // namespace hone
