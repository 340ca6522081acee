#include "learn/train/gene_loss.h"

#include "learn/train/batch.h"

namespace hone::learn {
namespace {

/// What every node sees of the choices before it, as rows.
torch::Tensor seen_choices(const GraphView& graph, std::span<const GeneChoice> choices) {
  NamedArray seen{.shape = {choices.size(), kGeneSeen}, .values = std::vector<float>(choices.size() * kGeneSeen)};
  for (std::size_t place = 0; place < choices.size(); ++place) {
    float* row = seen.values.data() + graph.sequence()[place] * kGeneSeen;
    visit_seen_choices(graph, place, choices, [&](std::size_t column, float share) { row[column] += share; });
  }
  return to_tensor(seen);
}

/// By node and option a weight: that of the node's use of the gene where `of_option` says so.
template <class OfOption>
torch::Tensor option_weights(const GeneUse& use, OfOption of_option) {
  NamedArray weights{.shape = {use.size(), kGeneOutputs}, .values = std::vector<float>(use.size() * kGeneOutputs)};
  for (std::size_t node = 0; node < use.size(); ++node)
    for (std::size_t head = 0; head < kGeneHeads; ++head)
      for (std::size_t option = 0; option < gene_heads()[head].options; ++option)
        weights.values[node * kGeneOutputs + gene_heads()[head].first + option] =
            use[node][head / kGeneAspects] * of_option(node, head, option);
  return to_tensor(weights);
}

}  // namespace

GeneUse genes_in_use(const Task& task, std::size_t operations) {
  GeneUse use(operations);
  const std::vector<std::uint32_t> owners = owners_of_genes(task, operations);
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i] != kNobody) use[owners[i]][static_cast<std::size_t>(kind_of_gene(task.sites()[i]))] = 1;
  return use;
}

torch::Tensor log_gene_chances(const torch::Tensor& rows, const torch::Tensor& feedback, const GraphView& graph,
                               std::span<const GeneChoice> choices) {
  torch::Tensor outputs = rows;
  if (feedback.defined())
    outputs = outputs + seen_choices(graph, choices).to(rows.scalar_type()).matmul(feedback.transpose(0, 1));
  std::vector<torch::Tensor> parts;
  for (const GeneHead& head : gene_heads()) {
    const auto first = static_cast<std::int64_t>(head.first), options = static_cast<std::int64_t>(head.options);
    parts.push_back(torch::log_softmax(outputs.slice(1, first, first + options), 1));
  }
  return torch::cat(parts, 1);
}

GeneLoss gene_loss(const torch::Tensor& rows, const torch::Tensor& feedback, const GraphView& graph,
                   std::span<const GeneExample> examples, const GeneUse& use) {
  const auto count = static_cast<double>(examples.size()), nodes = static_cast<double>(use.size());
  const torch::Tensor used = option_weights(use, [](std::size_t, std::size_t, std::size_t) { return 1.0F; });
  double heads = 0;
  for (const auto& kinds : use)
    for (const float kind : kinds) heads += kind * static_cast<double>(kGeneAspects);
  GeneLoss loss{torch::zeros({}, rows.options()), torch::zeros({}, rows.options())};
  for (const GeneExample& example : examples) {
    const torch::Tensor chances = log_gene_chances(rows, feedback, graph, example.choices);
    const torch::Tensor chosen = option_weights(use, [&](std::size_t node, std::size_t head, std::size_t option) {
      return example.choices[node][head] == option ? 1.0F : 0.0F;
    });
    loss.total = loss.total - example.worth / (count * nodes) * (chosen * chances).sum();
    loss.entropy = loss.entropy - (used * chances.exp() * chances).sum() / (count * std::max(1.0, heads));
  }
  return loss;
}

}  // namespace hone::learn
