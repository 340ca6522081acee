#include "learn/train/layers.h"

#include <cmath>

#include "learn/train/max_pooled_layer.h"

namespace hone::learn {
namespace {

torch::Tensor drawn(at::IntArrayRef shape, std::int64_t inputs) {
  return (torch::randn(shape) / std::sqrt(static_cast<double>(inputs))).requires_grad_();
}

Tensors parameters_of(std::initializer_list<Linear> maps, Tensors others = {}) {
  for (const Linear& map : maps) {
    others.push_back(map.weight);
    others.push_back(map.bias);
  }
  return others;
}

}  // namespace

Linear::Linear(std::int64_t inputs, std::int64_t outputs)
    : weight(drawn({outputs, inputs}, inputs)), bias(torch::zeros({outputs}).requires_grad_()) {}

torch::Tensor Linear::operator()(const torch::Tensor& rows, Activation activation) const {
  const Term term{rows, weight};
  return combine({&term, 1}, bias, activation);
}

GraphSage::GraphSage(std::int64_t inputs, std::int64_t outputs, Pool pool)
    : pool_(pool), neighbour_(inputs, inputs), self_(inputs, outputs), pooled_(drawn({outputs, inputs}, inputs)) {}

torch::Tensor GraphSage::forward(const torch::Tensor& rows, const Adjacency& edges) const {
  if (pool_ == Pool::max && rows.is_cpu())
    return max_pooled_layer(rows, edges, {neighbour_.weight, neighbour_.bias, self_.weight, self_.bias, pooled_});
  const torch::Tensor sent = pool_ == Pool::max ? neighbour_(rows, Activation::relu) : rows;
  const Term terms[] = {{rows, self_.weight}, {pool_neighbours(sent, edges, pool_), pooled_}};
  return combine(terms, self_.bias, Activation::relu);
}

Tensors GraphSage::parameters() const {
  return pool_ == Pool::max ? parameters_of({neighbour_, self_}, {pooled_}) : parameters_of({self_}, {pooled_});
}

MessagePassing::MessagePassing(std::int64_t width, std::int64_t edge_features)
    : from_(width, width),
      edge_(edge_features, width),
      back_(width, width),
      update_(width, width),
      received_(drawn({width, width}, width)) {}

torch::Tensor MessagePassing::forward(const torch::Tensor& rows, const Adjacency& edges,
                                      const torch::Tensor& edge_rows) const {
  const torch::Tensor source = sources_of(edges), target = targets_of(edges);
  const torch::Tensor about = edge_(edge_rows);
  const torch::Tensor along = torch::relu(from_(rows).index_select(0, source) + about);
  const torch::Tensor against = torch::relu(back_(rows).index_select(0, target) + about);
  const torch::Tensor sum = torch::zeros_like(rows).index_add(0, target, along).index_add(0, source, against);
  const Term terms[] = {{rows, update_.weight}, {sum, received_}};
  return rows + combine(terms, update_.bias, Activation::relu);
}

Tensors MessagePassing::parameters() const { return parameters_of({from_, edge_, back_, update_}, {received_}); }

GraphAttention::GraphAttention(std::int64_t inputs, std::int64_t outputs, std::int64_t edge_features)
    : value_(inputs, outputs),
      edge_(edge_features, 1),
      to_(drawn({outputs}, outputs)),
      from_(drawn({outputs}, outputs)) {}

torch::Tensor GraphAttention::forward(const torch::Tensor& rows, const Adjacency& edges,
                                      const torch::Tensor& edge_rows) const {
  const torch::Tensor values = value_(rows);
  const torch::Tensor to = values.matmul(to_).index_select(0, targets_of(edges));
  const torch::Tensor from = values.matmul(from_).index_select(0, sources_of(edges));
  const torch::Tensor scores = torch::leaky_relu(to + from + edge_(edge_rows).squeeze(1), 0.2);
  return pool_shares(values, share_out(scores, edges), edges);
}

Tensors GraphAttention::parameters() const { return parameters_of({value_, edge_}, {to_, from_}); }

SegmentAttention::SegmentAttention(std::int64_t width, std::int64_t segment)
    : segment_(segment), query_(width, width), key_(width, width), value_(width, width) {}

torch::Tensor SegmentAttention::forward(const torch::Tensor& rows) const {
  const torch::Tensor queries = query_(rows), keys = key_(rows), values = value_(rows);
  const double scale = 1 / std::sqrt(static_cast<double>(rows.size(1)));
  Tensors parts;
  for (std::int64_t begin = 0; begin < rows.size(0); begin += segment_) {
    const std::int64_t end = std::min(begin + segment_, rows.size(0));
    const std::int64_t from = std::max<std::int64_t>(0, begin - segment_);
    const torch::Tensor scores = queries.slice(0, begin, end).matmul(keys.slice(0, from, end).t()) * scale;
    parts.push_back(torch::softmax(scores, 1).matmul(values.slice(0, from, end)));
  }
  return rows + torch::cat(parts);
}

Tensors SegmentAttention::parameters() const { return parameters_of({query_, key_, value_}); }

}  // namespace hone::learn
