#include "learn/train/gene_loss.h"

#include "learn/policy/gene_anchors.h"
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

/// By kind of gene: 1 where any node has one.
torch::Tensor kinds_in_use(const GeneUse& use) {
  NamedArray kinds{.shape = {kGeneKinds, 1}, .values = std::vector<float>(kGeneKinds)};
  for (const auto& node : use)
    for (std::size_t kind = 0; kind < kGeneKinds; ++kind) kinds.values[kind] = std::max(kinds.values[kind], node[kind]);
  return to_tensor(kinds);
}

}  // namespace

GeneUse genes_in_use(const Task& task, std::size_t operations) {
  GeneUse use(operations);
  const std::vector<std::uint32_t> owners = owners_of_genes(task, operations);
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i] != kNobody) use[owners[i]][static_cast<std::size_t>(kind_of_gene(task.sites()[i]))] = 1;
  return use;
}

torch::Tensor anchored(const torch::Tensor& rows, const torch::Tensor& anchors, const GeneFeatures& features) {
  constexpr auto kPlaces = static_cast<std::int64_t>(kGenePlaces), kTerms = static_cast<std::int64_t>(kAnchorTerms);
  const auto tensor_of = [&](std::span<const float> values) {
    return torch::tensor(at::ArrayRef<float>(values.data(), values.size()), rows.options());
  };
  std::array<float, kAnchorTerms> units;
  for (std::size_t i = 0; i < kAnchorTerms; ++i) units[i] = unit_of_anchor(i);
  const torch::Tensor terms = (anchors[0] + features.weighted * anchors[1]) * tensor_of(units);  // kind, term
  const torch::Tensor places = tensor_of(features.places).view({-1, kPlaces});
  const torch::Tensor centres = 0.5 + places.matmul(terms.slice(1, 0, kPlaces).transpose(0, 1));  // node, kind
  const torch::Tensor distances = tensor_of(kGeneMeans) - centres.unsqueeze(2);                   // node, kind, mean
  const torch::Tensor means = -terms.select(1, kPlaces).exp().unsqueeze(1) * distances * distances;
  const torch::Tensor others = terms.slice(1, kPlaces + 1, kTerms).unsqueeze(0).expand({rows.size(0), -1, -1});
  return rows + torch::cat({means, others}, 2).flatten(1);
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

GeneLoss gene_loss(const GeneOutputs& outputs, const GraphView& graph, std::span<const GeneExample> examples,
                   const GeneUse& use) {
  const auto count = static_cast<double>(examples.size()), nodes = static_cast<double>(use.size());
  const torch::TensorOptions& options = outputs.rows.options();
  const torch::Tensor used = option_weights(use, [](std::size_t, std::size_t, std::size_t) { return 1.0F; });
  const torch::Tensor kinds = kinds_in_use(use).to(options);
  double heads = 0;
  for (const auto& node : use)
    for (const float kind : node) heads += kind * static_cast<double>(kGeneAspects);
  GeneLoss loss{torch::zeros({}, options), torch::zeros({}, options)};
  for (const GeneExample& example : examples) {
    const torch::Tensor anchors =
        to_tensor({.shape = {kAnchorParts, kGeneKinds, kAnchorTerms}, .values = example.anchors}).to(options);
    const torch::Tensor chances =
        log_gene_chances(anchored(outputs.rows, anchors, outputs.features), outputs.feedback, graph, example.choices);
    const torch::Tensor chosen = option_weights(use, [&](std::size_t node, std::size_t head, std::size_t option) {
      return example.choices[node][head] == option ? 1.0F : 0.0F;
    });
    const torch::Tensor apart = (anchors - outputs.anchors) / kAnchorTrial;
    const torch::Tensor log_chance = (chosen * chances).sum() / nodes - 0.5 * (kinds * apart * apart).sum();
    loss.total = loss.total - example.worth / count * log_chance;
    loss.entropy = loss.entropy - (used * chances.exp() * chances).sum() / (count * std::max(1.0, heads));
  }
  return loss;
}

}  // namespace hone::learn
