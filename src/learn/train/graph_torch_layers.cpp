// Layers that look at neighbours.

#include "learn/train/max_pooled_layer.h"
#include "learn/train/torch_layer.h"

namespace hone::learn {
namespace {

Adjacency turned(const Adjacency& edges, EdgeDirection direction) {
  return direction == EdgeDirection::forward ? edges : edges.reversed();
}

torch::Tensor messages_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                               const Batch& batch) {
  const Term terms[] = {{rows, tensors.at("self")},
                        {pool_neighbours(rows, batch.edges, Pool::mean), tensors.at("before")},
                        {pool_neighbours(rows, batch.edges.reversed(), Pool::mean), tensors.at("after")}};
  return combine(terms, tensors.at("bias"), spec.activation);
}

/// On the CPU one kernel does all of it.
torch::Tensor max_pool_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                               const Batch& batch) {
  const Adjacency edges = turned(batch.edges, spec.direction);
  if (rows.is_cpu() && spec.activation == Activation::relu)
    return max_pooled_layer(rows, edges,
                            {tensors.at("neighbour.weight"), tensors.at("neighbour.bias"), tensors.at("self.weight"),
                             tensors.at("self.bias"), tensors.at("pooled")});
  const torch::Tensor sent = tensors.map("neighbour.", rows, Activation::relu);
  const Term terms[] = {{rows, tensors.at("self.weight")},
                        {pool_neighbours(sent, edges, Pool::max), tensors.at("pooled")}};
  return combine(terms, tensors.at("self.bias"), spec.activation);
}

torch::Tensor edge_messages_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                                    const Batch& batch) {
  const torch::Tensor source = sources_of(batch.edges), target = targets_of(batch.edges);
  const bool has_edges = batch.edges.edges() > 0;  // without any it is not known how wide their rows would be
  const torch::Tensor about = has_edges ? tensors.map("edge.", batch.edge_rows) : rows.new_zeros({0, rows.size(1)});
  const torch::Tensor along = torch::relu(tensors.map("from.", rows).index_select(0, source) + about);
  const torch::Tensor against = torch::relu(tensors.map("back.", rows).index_select(0, target) + about);
  const torch::Tensor sum = torch::zeros_like(rows).index_add(0, target, along).index_add(0, source, against);
  const Term terms[] = {{rows, tensors.at("update.weight")}, {sum, tensors.at("received")}};
  return combine(terms, tensors.at("update.bias"), spec.activation);
}

torch::Tensor graph_attention_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                                      const Batch& batch) {
  const Adjacency edges = turned(batch.edges, spec.direction);
  const torch::Tensor values = tensors.map("value.", rows);
  torch::Tensor about = tensors.map("edge.", batch.edge_rows).squeeze(1);
  if (spec.direction == EdgeDirection::backward)
    about = about.index_select(0, batch.edges.out_place.to(torch::kLong));  // in the order of the turned edges
  const torch::Tensor to = values.matmul(tensors.at("to")).index_select(0, targets_of(edges));
  const torch::Tensor from = values.matmul(tensors.at("from")).index_select(0, sources_of(edges));
  const torch::Tensor scores = torch::leaky_relu(to + from + about, static_cast<double>(kAttentionSlope));
  return activated(pool_shares(values, share_out(scores, edges), edges), spec.activation);
}

const TorchLayer messages(messages_layer, messages_forward);
const TorchLayer max_pool(max_pool_layer, max_pool_forward);
const TorchLayer edge_messages(edge_messages_layer, edge_messages_forward);
const TorchLayer graph_attention(graph_attention_layer, graph_attention_forward);

}  // namespace
}  // namespace hone::learn
