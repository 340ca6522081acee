#include "graph/clean/all_graphs.h"

#include "graph/ir/bodies.h"

namespace hone {
namespace {

std::size_t change(Graph& graph, const std::function<std::size_t(Graph&)>& pass) {
  std::size_t changes = 0;
  change_bodies(graph, [&](const Node&, Graph& body) {
    const std::size_t inside = change(body, pass);
    changes += inside;
    return inside > 0;
  });
  return changes + pass(graph);
}

}  // namespace

std::size_t change_all_graphs(Model& model, const std::function<std::size_t(Graph&)>& pass) {
  Graph graph = model.graph;
  const std::size_t changes = change(graph, pass);
  model.graph = std::move(graph);
  return changes;
}

}  // namespace hone
