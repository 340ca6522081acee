#include "learn/train/policy_network.h"

#include <algorithm>

#include "base/error.h"
#include "learn/train/combine.h"

namespace hone::learn {

torch::Device device_named(const std::string& name) {
  if (name == "cuda" && !torch::cuda::is_available())
    throw InputError("libtorch finds no CUDA device here", ExitCode::backend_missing);
  return torch::Device(name);
}

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
    for (std::size_t operation = 0; operation < graphs[graph]->operations(); ++operation)
      for (const std::uint32_t next : graphs[graph]->after(operation))
        edges.emplace_back(static_cast<std::int32_t>(nodes + operation), static_cast<std::int32_t>(nodes + next));
    batch.sequences.emplace_back();
    for (const OperationId operation : graphs[graph]->problem().workload.topological_order())
      batch.sequences.back().push_back(static_cast<std::int64_t>(nodes + operation.index()));
    nodes += graphs[graph]->operations();
  }
  batch.edges = make_adjacency(nodes, edges);
  batch.features = to_tensor({.shape = {nodes, kFeatures}, .values = std::move(rows)});
  return batch;
}

PolicyNetwork::PolicyNetwork(const Safetensors& contents, Purpose purpose)
    : prefix_(purpose == Purpose::moves ? kMovePrefix : ""), encoder_(encoder_of(contents, "policy")) {
  const std::size_t outputs = purpose == Purpose::moves ? kMoveSights : kSights;
  rounds_ = Network(contents, prefix_, outputs, "policy").rounds();  // checks all shapes
  for (const auto& [name, array] : contents.arrays)
    if (name.starts_with(kMovePrefix) == (purpose == Purpose::moves))
      parameters_[name] = to_tensor(array).requires_grad_();
}

torch::Tensor PolicyNetwork::weights(const Batch& batch) const {
  const Term embed{batch.features.to(at("embed.weight").device()), at("embed.weight")};
  const torch::Tensor embedded = combine({&embed, 1}, at("embed.bias"), Activation::relu);
  const torch::Tensor hidden =
      encoder_ == Encoder::sequence ? read_as_sequence(embedded, batch) : pass_messages(embedded, batch.edges);
  const Term head{hidden, at("head.weight")};
  return combine({&head, 1}, at("head.bias"), Activation::none).to(torch::kCPU);
}

torch::Tensor PolicyNetwork::pass_messages(torch::Tensor hidden, const Adjacency& given_edges) const {
  const Adjacency edges = hidden.device().is_cpu() ? given_edges : given_edges.to(hidden.device());
  for (std::size_t i = 0; i < rounds_; ++i) {
    const std::string name = "round" + std::to_string(i) + ".";
    const Term terms[] = {{hidden, at(name + "self")},
                          {pool_neighbours(hidden, edges, Pool::mean), at(name + "before")},
                          {pool_neighbours(hidden, edges.reversed(), Pool::mean), at(name + "after")}};
    hidden = hidden + combine(terms, at(name + "bias"), Activation::relu);
  }
  return hidden;
}

torch::Tensor PolicyNetwork::read_as_sequence(torch::Tensor hidden, const Batch& batch) const {
  const Sequences forward = make_sequences(batch.sequences, Direction::forward).to(hidden.device());
  const Sequences backward = make_sequences(batch.sequences, Direction::backward).to(hidden.device());
  const auto states = [&](const Sequences& sequences, const std::string& name) {
    std::vector<torch::Tensor> arrays;
    for (const char* array : kRecurrenceArrays) arrays.push_back(at(name + array));
    return recurrent_states(hidden, sequences, arrays);
  };
  for (std::size_t i = 0; i < rounds_; ++i) {
    const std::string name = "round" + std::to_string(i) + ".";
    hidden = hidden + states(forward, name + "forward.") + states(backward, name + "backward.");
  }
  return hidden;
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
