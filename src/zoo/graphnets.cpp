#include "zoo/builder.h"
#include "zoo/registry.h"

// Graph networks (Battaglia et al., 2018): encode, a number of rounds of message passing, decode.

namespace hone::zoo {
namespace {

ValueId perceptron(Builder& b, std::string_view name, ValueId x, std::int64_t width) {
  const auto place = b.scope(name);
  const ValueId hidden = b.relu(b.linear("hidden", x, width));
  return b.layer_norm("norm", b.linear("output", hidden, width));
}

/// Everything a round of message passing changes.
struct GraphState {
  ValueId nodes;   // [nodes, width]
  ValueId edges;   // [edges, width]
  ValueId global;  // [1, width]
};

/// Which nodes the edges join.
struct Ends {
  ValueId senders;
  ValueId receivers;
};

GraphState pass_messages(Builder& b, const GraphState& state, const Ends& ends, std::int64_t width) {
  const std::int64_t nodes = b.dim(state.nodes, 0), edges = b.dim(state.edges, 0);
  const ValueId messages = b.concat({state.edges, b.gather(state.nodes, ends.senders),
                                     b.gather(state.nodes, ends.receivers), b.expand(state.global, {edges, width})},
                                    1);
  const ValueId new_edges = b.add(state.edges, perceptron(b, "edges", messages, width));
  const ValueId received = b.emit("ScatterND", {b.zeros({nodes, width}), b.unsqueeze(ends.receivers, {1}), new_edges},
                                  {nodes, width}, {{"reduction", "add"}});
  const ValueId gathered = b.concat({state.nodes, received, b.expand(state.global, {nodes, width})}, 1);
  const ValueId new_nodes = b.add(state.nodes, perceptron(b, "nodes", gathered, width));
  const ValueId summary =
      b.concat({state.global, b.reduce("ReduceMean", new_edges, {0}), b.reduce("ReduceMean", new_nodes, {0})}, 1);
  return {new_nodes, new_edges, b.add(state.global, perceptron(b, "global", summary, width))};
}

void graphnets(Builder& b, const Settings& s) {
  const std::int64_t width = s["hidden"];
  GraphState state{.nodes = perceptron(b, "encode_nodes", b.input("nodes", {s["nodes"], s["features"]}), width),
                   .edges = perceptron(b, "encode_edges", b.input("edges", {s["edges"], s["features"]}), width),
                   .global = perceptron(b, "encode_global", b.input("global", {1, s["features"]}), width)};
  const Ends ends{b.input("senders", {s["edges"]}, ElementType::int64),
                  b.input("receivers", {s["edges"]}, ElementType::int64)};
  for (std::int64_t i = 0; i < s["rounds"]; ++i) {
    const auto place = b.scope(fmt::format("round{}", i));
    state = pass_messages(b, state, ends, width);
  }
  const ValueId context = b.expand(state.global, {s["nodes"], width});
  b.predict_values(b.linear("decode", perceptron(b, "head", b.concat({state.nodes, context}, 1), width), s["outputs"]));
}

const ZooFamily graphnets_family({{"graphnets",
                                   "Graph network: rounds of message passing between nodes, edges and a global state",
                                   {{"nodes", 256, "nodes of the graph"},
                                    {"edges", 1024, "edges of the graph"},
                                    {"features", 16, "numbers a node and an edge"},
                                    {"hidden", 128, "width"},
                                    depth_parameter("rounds", 8, "rounds of message passing"),
                                    {"outputs", 8, "numbers predicted a node"}},
                                   graphnets}});

}  // namespace
}  // namespace hone::zoo
