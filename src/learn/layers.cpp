#include "learn/layers.h"

#include <cmath>

namespace hone::learn {
namespace {

torch::Tensor drawn(at::IntArrayRef shape, std::int64_t inputs) {
  return (torch::randn(shape) / std::sqrt(static_cast<double>(inputs))).requires_grad_();
}

}  // namespace

Linear::Linear(std::int64_t inputs, std::int64_t outputs)
    : weight(drawn({outputs, inputs}, inputs)), bias(torch::zeros({outputs}).requires_grad_()) {}

torch::Tensor Linear::operator()(const torch::Tensor& rows) const { return torch::addmm(bias, rows, weight.t()); }

GraphSage::GraphSage(std::int64_t inputs, std::int64_t outputs, Pool pool)
    : pool_(pool), neighbour_(inputs, inputs), self_(inputs, outputs), pooled_(inputs, outputs) {}

torch::Tensor GraphSage::forward(const torch::Tensor& rows, const Adjacency& edges) const {
  const torch::Tensor sent = pool_ == Pool::max ? torch::relu(neighbour_(rows)) : rows;
  return torch::relu(self_(rows) + pooled_(pool_neighbours(sent, edges, pool_)));
}

torch::Tensor targets_of(const Adjacency& edges) {
  const torch::Tensor begin = edges.in_begin.to(torch::kLong);
  return torch::repeat_interleave(torch::arange(edges.nodes()), begin.slice(0, 1) - begin.slice(0, 0, -1));
}

MessagePassing::MessagePassing(std::int64_t width, std::int64_t edge_features)
    : from_(width, width), edge_(edge_features, width), back_(width, width), update_(2 * width, width) {}

torch::Tensor MessagePassing::forward(const torch::Tensor& rows, const Adjacency& edges,
                                      const torch::Tensor& edge_rows) const {
  const torch::Tensor source = edges.in.to(torch::kLong), target = targets_of(edges);
  const torch::Tensor about = edge_(edge_rows);
  const torch::Tensor along = torch::relu(from_(rows).index_select(0, source) + about);
  const torch::Tensor against = torch::relu(back_(rows).index_select(0, target) + about);
  const torch::Tensor received = torch::zeros_like(rows).index_add(0, target, along).index_add(0, source, against);
  return rows + torch::relu(update_(torch::cat({rows, received}, 1)));
}

torch::Tensor segment_softmax(const torch::Tensor& scores, const torch::Tensor& segments, std::int64_t count) {
  // Less the largest of all, which changes no share.
  const torch::Tensor raised = (scores - scores.detach().max()).clamp_min(-60).exp();
  const torch::Tensor sums = torch::zeros({count}, scores.options()).index_add(0, segments, raised);
  return raised / sums.index_select(0, segments);
}

GraphAttention::GraphAttention(std::int64_t inputs, std::int64_t outputs, std::int64_t edge_features)
    : value_(inputs, outputs),
      edge_(edge_features, 1),
      to_(drawn({outputs}, outputs)),
      from_(drawn({outputs}, outputs)) {}

torch::Tensor GraphAttention::forward(const torch::Tensor& rows, const Adjacency& edges,
                                      const torch::Tensor& edge_rows) const {
  const torch::Tensor source = edges.in.to(torch::kLong), target = targets_of(edges);
  const torch::Tensor values = value_(rows);
  const torch::Tensor scores =
      torch::leaky_relu(values.matmul(to_).index_select(0, target) + values.matmul(from_).index_select(0, source) +
                            edge_(edge_rows).squeeze(1),
                        0.2);
  const torch::Tensor shares = segment_softmax(scores, target, edges.nodes());
  return torch::zeros_like(values).index_add(0, target, values.index_select(0, source) * shares.unsqueeze(1));
}

SegmentAttention::SegmentAttention(std::int64_t width, std::int64_t segment)
    : segment_(segment), query_(width, width), key_(width, width), value_(width, width) {}

torch::Tensor SegmentAttention::forward(const torch::Tensor& rows) const {
  const torch::Tensor queries = query_(rows), keys = key_(rows), values = value_(rows);
  const double scale = 1 / std::sqrt(static_cast<double>(rows.size(1)));
  std::vector<torch::Tensor> parts;
  for (std::int64_t begin = 0; begin < rows.size(0); begin += segment_) {
    const std::int64_t end = std::min(begin + segment_, rows.size(0)),
                       from = std::max<std::int64_t>(0, begin - segment_);
    const torch::Tensor scores = queries.slice(0, begin, end).matmul(keys.slice(0, from, end).t()) * scale;
    parts.push_back(torch::softmax(scores, 1).matmul(values.slice(0, from, end)));
  }
  return rows + torch::cat(parts);
}

}  // namespace hone::learn
