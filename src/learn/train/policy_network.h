#pragma once

#include <map>
#include <string>
#include <vector>

#include "learn/policy/network.h"
#include "learn/train/neighbours.h"
#include "learn/train/sequences.h"

namespace hone::learn {

/// Graphs side by side, as one.
struct Batch {
  torch::Tensor features;  // a row an operation
  Adjacency edges;
  std::vector<std::int64_t> first;                   // by graph: its first row
  std::vector<std::vector<std::int64_t>> sequences;  // by graph: its rows in topological order
};
Batch make_batch(std::span<const GraphView* const> graphs, std::span<const Features* const> features);

/// One network of a policy with gradients: computes what `Network` computes, from the same arrays.
class PolicyNetwork {
 public:
  /// What a policy's network is for.
  enum class Purpose : std::uint8_t { plans, moves };

  /// Takes the arrays of its purpose, of which the names stay what they are.
  PolicyNetwork(const Safetensors& contents, Purpose purpose);

  /// Weights for what a construction sees, a row an operation.
  torch::Tensor weights(const Batch& batch) const;
  /// Weights for what is seen of waiting; only of the network for plans.
  const torch::Tensor& wait() const { return at("wait"); }
  std::map<std::string, torch::Tensor>& parameters() { return parameters_; }
  Safetensors save() const;
  /// From now on rows are worked on there; what comes of them is on the CPU all the same.
  void move_to(const torch::Device& device);

 private:
  const torch::Tensor& at(const std::string& name) const { return parameters_.at(prefix_ + name); }
  torch::Tensor pass_messages(torch::Tensor hidden, const Adjacency& given_edges) const;
  torch::Tensor read_as_sequence(torch::Tensor hidden, const Batch& batch) const;

  std::string prefix_;
  Encoder encoder_;
  std::map<std::string, torch::Tensor> parameters_;
  std::size_t rounds_ = 0;
};

/// Where a network is to be worked on: `cpu` or `cuda`. Throws InputError where there is none.
torch::Device device_named(const std::string& name);

torch::Tensor to_tensor(const NamedArray& array);
NamedArray to_array(const torch::Tensor& tensor);

}  // namespace hone::learn
