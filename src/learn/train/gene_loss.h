#pragma once

#include <vector>

#include "learn/policy/gene_features.h"
#include "learn/policy/gene_policy.h"
#include "learn/train/torch.h"

namespace hone::learn {

/// By node and kind of gene: 1 where a choice decides a gene, 0 where it makes no difference.
using GeneUse = std::vector<std::array<float, kGeneKinds>>;
GeneUse genes_in_use(const Task& task, std::size_t operations);

/// What a policy says about one graph; `feedback` is undefined where choices are independent.
struct GeneOutputs {
  torch::Tensor rows, anchors, feedback;
  const GeneFeatures& features;
};

/// Outputs of the network with what anchors say, as searches use them.
torch::Tensor anchored(const torch::Tensor& rows, const torch::Tensor& anchors, const GeneFeatures& features);

/// Logarithms of the chances of all options of all nodes, in view of the choices that were made: a row a node. `rows`
/// are outputs of the network, `feedback` is undefined where choices are independent.
torch::Tensor log_gene_chances(const torch::Tensor& rows, const torch::Tensor& feedback, const GraphView& graph,
                               std::span<const GeneChoice> choices);

/// What was drawn for a graph, and how much better than usual it was: anchors around those of the policy, each apart by
/// a normal number, and under them the choices for all nodes.
struct GeneExample {
  std::vector<float> anchors;
  std::vector<GeneChoice> choices;
  double worth = 0;
};

/// What REINFORCE makes less of: choices that were better than usual become likelier.
struct GeneLoss {
  torch::Tensor total;
  torch::Tensor entropy;  // of a choice, in nats
};
/// Of one graph; every node counts the same, so that large graphs do not drown small ones.
GeneLoss gene_loss(const GeneOutputs& outputs, const GraphView& graph, std::span<const GeneExample> examples,
                   const GeneUse& use);

}  // namespace hone::learn
