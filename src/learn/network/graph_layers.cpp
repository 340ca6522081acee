// Message passing: layers that look at the rows of neighbours.

#include "learn/network/layers.h"
#include "learn/network/linear_map.h"

namespace hone {
namespace {

std::span<const std::uint32_t> neighbours(const GraphInput& graph, std::size_t node, EdgeDirection direction) {
  return direction == EdgeDirection::forward ? graph.edges.into(node) : graph.edges.out_of(node);
}

std::vector<float> mean_of_neighbours(const GraphInput& graph, const std::vector<float>& rows,
                                      EdgeDirection direction) {
  const std::size_t width = rows.size() / std::max<std::size_t>(1, graph.nodes);
  std::vector<float> means(rows.size());
  for (std::size_t node = 0; node < graph.nodes; ++node) {
    const std::span<const std::uint32_t> near = neighbours(graph, node, direction);
    float* __restrict sum = means.data() + node * width;
    for (const std::uint32_t other : near)
      for (std::size_t i = 0; i < width; ++i) sum[i] += rows[other * width + i];
    for (std::size_t i = 0; i < width && !near.empty(); ++i) sum[i] /= static_cast<float>(near.size());
  }
  return means;
}

class Messages final : public Layer {
 public:
  Messages(const LayerSpec&, const LayerArrays& arrays)
      : self_(arrays.at("self")), before_(arrays.at("before")), after_(arrays.at("after")), bias_(arrays.at("bias")) {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    std::vector<float> out = repeated(bias_, graph.nodes);
    self_.add_rows(rows, out);
    before_.add_rows(mean_of_neighbours(graph, rows, EdgeDirection::forward), out);
    after_.add_rows(mean_of_neighbours(graph, rows, EdgeDirection::backward), out);
    return out;
  }

 private:
  RowProduct self_, before_, after_;
  NamedArray bias_;
};

class MaxPool final : public Layer {
 public:
  MaxPool(const LayerSpec& spec, const LayerArrays& arrays)
      : direction_(spec.direction),
        width_(spec.inputs),
        neighbour_(arrays, "neighbour."),
        self_(arrays, "self."),
        pooled_(arrays.at("pooled")) {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    std::vector<float> sent = neighbour_.of(rows, graph.nodes), most(sent.size());
    activate(sent, Activation::relu);
    for (std::size_t node = 0; node < graph.nodes; ++node)
      for (const std::uint32_t other : neighbours(graph, node, direction_))  // nothing that is sent is below zero
        for (std::size_t i = 0; i < width_; ++i)
          most[node * width_ + i] = std::max(most[node * width_ + i], sent[other * width_ + i]);
    std::vector<float> out = self_.of(rows, graph.nodes);
    pooled_.add_rows(most, out);
    return out;
  }

 private:
  EdgeDirection direction_;
  std::size_t width_;
  LinearMap neighbour_, self_;
  RowProduct pooled_;
};

class EdgeMessages final : public Layer {
 public:
  EdgeMessages(const LayerSpec& spec, const LayerArrays& arrays)
      : width_(spec.inputs),
        from_(arrays, "from."),
        back_(arrays, "back."),
        edge_(arrays, "edge."),
        update_(arrays, "update."),
        received_(arrays.at("received")) {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    const std::vector<float> from = from_.of(rows, graph.nodes), back = back_.of(rows, graph.nodes);
    const std::vector<float> about = edge_.of(graph.edge_rows, graph.edges.count());
    std::vector<float> sums(rows.size());
    const auto send = [&](const std::vector<float>& messages, std::size_t source, std::size_t edge,
                          std::size_t target) {
      for (std::size_t i = 0; i < width_; ++i)
        sums[target * width_ + i] += std::max(0.0F, messages[source * width_ + i] + about[edge * width_ + i]);
    };
    for (std::size_t node = 0; node < graph.nodes; ++node)
      for (std::size_t edge = graph.edges.first_into(node); edge < graph.edges.first_into(node + 1); ++edge) {
        send(from, graph.edges.in->items()[edge], edge, node);
        send(back, node, edge, graph.edges.in->items()[edge]);
      }
    std::vector<float> out = update_.of(rows, graph.nodes);
    received_.add_rows(sums, out);
    return out;
  }

 private:
  std::size_t width_;
  LinearMap from_, back_, edge_, update_;
  RowProduct received_;
};

std::vector<ArraySpec> message_arrays(const LayerSpec& spec) {
  return {matrix("self", spec.outputs, spec.inputs, spec), matrix("before", spec.outputs, spec.inputs, spec),
          matrix("after", spec.outputs, spec.inputs, spec), zeros("bias", spec.outputs)};
}

std::vector<ArraySpec> max_pool_arrays(const LayerSpec& spec) {
  return {matrix("neighbour.weight", spec.inputs, spec.inputs, spec), zeros("neighbour.bias", spec.inputs),
          matrix("self.weight", spec.outputs, spec.inputs, spec), zeros("self.bias", spec.outputs),
          matrix("pooled", spec.outputs, spec.inputs, spec)};
}

std::vector<ArraySpec> edge_message_arrays(const LayerSpec& spec) {
  return {matrix("from.weight", spec.inputs, spec.inputs, spec),        zeros("from.bias", spec.inputs),
          matrix("back.weight", spec.inputs, spec.inputs, spec),        zeros("back.bias", spec.inputs),
          matrix("edge.weight", spec.inputs, spec.edge_features, spec), zeros("edge.bias", spec.inputs),
          matrix("update.weight", spec.outputs, spec.inputs, spec),     zeros("update.bias", spec.outputs),
          matrix("received", spec.outputs, spec.inputs, spec)};
}

}  // namespace

const LayerKind messages_layer("messages", message_arrays, make_layer<Messages>);
const LayerKind max_pool_layer("max-pool", max_pool_arrays, make_layer<MaxPool>);
const LayerKind edge_messages_layer("edge-messages", edge_message_arrays, make_layer<EdgeMessages>);

}  // namespace hone
