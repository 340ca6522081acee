#include "learn/policy_network.h"

#include <algorithm>

#include "learn/combine.h"

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
  const torch::Device device = at("embed.weight").device();
  const Adjacency edges = device.is_cpu() ? batch.edges : batch.edges.to(device);
  const Term embed{batch.features.to(device), at("embed.weight")};
  torch::Tensor hidden = combine({&embed, 1}, at("embed.bias"), Activation::relu);
  for (std::size_t i = 0; i < rounds_; ++i) {
    const std::string name = "round" + std::to_string(i) + ".";
    const Term terms[] = {{hidden, at(name + "self")},
                          {pool_neighbours(hidden, edges, Pool::mean), at(name + "before")},
                          {pool_neighbours(hidden, edges.reversed(), Pool::mean), at(name + "after")}};
    hidden = hidden + combine(terms, at(name + "bias"), Activation::relu);
  }
  const Term head{hidden, at("head.weight")};
  return combine({&head, 1}, at("head.bias"), Activation::none).to(torch::kCPU);
}

void PolicyNetwork::move_to(const torch::Device& device) {
  for (auto& [name, tensor] : parameters_)
    if (!name.ends_with("wait")) tensor = tensor.detach().to(device).requires_grad_();
}

Safetensors PolicyNetwork::save() const {
  Safetensors contents;
  for (const auto& [name, tensor] : parameters_) contents.arrays[name] = to_array(tensor);
  return contents;
}

}  // namespace hone::learn
