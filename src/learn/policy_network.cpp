#include "learn/policy_network.h"

#include <algorithm>

namespace hone::learn {

torch::Tensor to_tensor(const NamedArray& array) {
  const std::vector<std::int64_t> shape(array.shape.begin(), array.shape.end());
  torch::Tensor tensor = torch::empty(shape, torch::kFloat);
  std::ranges::copy(array.values, tensor.data_ptr<float>());
  return tensor;
}

NamedArray to_array(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
  NamedArray array;
  for (const std::int64_t dim : plain.sizes()) array.shape.push_back(static_cast<std::size_t>(dim));
  const float* values = plain.data_ptr<float>();
  array.values.assign(values, values + plain.numel());
  return array;
}

Batch make_batch(std::span<const GraphView* const> graphs, std::span<const Features* const> features) {
  Batch batch;
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  std::vector<float> rows;
  std::size_t nodes = 0;
  for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
    batch.first.push_back(static_cast<std::int64_t>(nodes));
    rows.insert(rows.end(), features[graph]->rows.begin(), features[graph]->rows.end());
    for (std::size_t work = 0; work < graphs[graph]->works(); ++work)
      for (const std::uint32_t next : graphs[graph]->after(work))
        edges.emplace_back(static_cast<std::int32_t>(nodes + work), static_cast<std::int32_t>(nodes + next));
    nodes += graphs[graph]->works();
  }
  batch.edges = make_adjacency(nodes, edges);
  batch.features = to_tensor({.shape = {nodes, kFeatures}, .values = std::move(rows)});
  return batch;
}

PolicyNetwork::PolicyNetwork(const Safetensors& contents, Purpose purpose)
    : prefix_(purpose == Purpose::moves ? kMovePrefix : "") {
  const std::size_t outputs = purpose == Purpose::moves ? kMoveSights : kSights;
  rounds_ = Network(contents, prefix_, outputs, "policy").rounds();  // checks all shapes
  for (const auto& [name, array] : contents.arrays)
    if (name.starts_with(kMovePrefix) == (purpose == Purpose::moves))
      parameters_[name] = to_tensor(array).requires_grad_();
}

torch::Tensor PolicyNetwork::weights(const Batch& batch) const {
  namespace F = torch::nn::functional;
  torch::Tensor hidden = torch::relu(F::linear(batch.features, at("embed.weight"), at("embed.bias")));
  for (std::size_t i = 0; i < rounds_; ++i) {
    const std::string name = "round" + std::to_string(i) + ".";
    const torch::Tensor before = pool_neighbours(hidden, batch.edges, Pool::mean);
    const torch::Tensor after = pool_neighbours(hidden, batch.edges.reversed(), Pool::mean);
    hidden = hidden + torch::relu(F::linear(hidden, at(name + "self"), at(name + "bias")) +
                                  F::linear(before, at(name + "before")) + F::linear(after, at(name + "after")));
  }
  return F::linear(hidden, at("head.weight"), at("head.bias"));
}

Safetensors PolicyNetwork::save() const {
  Safetensors contents;
  for (const auto& [name, tensor] : parameters_) contents.arrays[name] = to_array(tensor);
  return contents;
}

}  // namespace hone::learn
