#include "learn/policy/gene_policy.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "learn/policy/gene_anchors.h"
#include "learn/policy/gene_features.h"
#include "learn/policy/policy.h"
#include "learn/policy/reference_order.h"

namespace hone {
namespace {

NetworkSpec independent_genes(const NetworkShape& shape) {
  NetworkSpec spec = encoder_network("", shape, kGeneFeatures, kGeneOutputs);
  spec.free.push_back({.name = kGeneAnchors, .shape = {kAnchorParts, kGeneKinds, kAnchorTerms}});
  return spec;
}

NetworkSpec autoregressive_genes(const NetworkShape& shape) {
  NetworkSpec spec = independent_genes(shape);
  spec.free.push_back({.name = kGeneFeedback, .shape = {kGeneOutputs, kGeneSeen}});
  return spec;
}

const GenePolicyKind independent_kind("genes", "genes of the genetic algorithm are drawn node by node",
                                      GeneOrder::independent);
const GenePolicyKind autoregressive_kind("genes-autoregressive", "likewise, in view of choices for the nodes before",
                                         GeneOrder::autoregressive);

std::uint8_t drawn_option(std::span<const float> outputs, double temperature, Rng& rng) {
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t option = 0; option < outputs.size(); ++option) {
    double score = outputs[option];
    // What is added is Gumbel's, so that the maximum is a draw from the softmax.
    if (temperature > 0) score -= temperature * std::log(-std::log(std::max(rng.uniform(), 1e-300)));
    if (score > most) {
      most = score;
      best = option;
    }
  }
  return static_cast<std::uint8_t>(best);
}

double log_share(std::span<const float> outputs, std::size_t option) {
  const double most = *std::ranges::max_element(outputs);
  double sum = 0;
  for (const float output : outputs) sum += std::exp(output - most);
  return outputs[option] - most - std::log(sum);
}

}  // namespace

GenePolicyKind::GenePolicyKind(std::string_view name, std::string_view summary, GeneOrder order)
    : PolicyKind(name, summary, kGeneFeatureSchema,
                 {{kGeneNetwork, order == GeneOrder::independent ? independent_genes : autoregressive_genes}}),
      order_(order) {}

void GenePolicyKind::set_first_rule(Safetensors& contents, const Objective&) const {
  contents.arrays.at(kGeneAnchors).values = first_anchors();
}

const GenePolicyKind& gene_policy(GeneOrder order) {
  return order == GeneOrder::independent ? independent_kind : autoregressive_kind;
}

const GenePolicyKind& as_gene_policy(const PolicyKind& kind) {
  const auto* found = dynamic_cast<const GenePolicyKind*>(&kind);
  if (found == nullptr) fail_usage("policies of kind '{}' do not guide the genes of a genetic algorithm", kind.name());
  return *found;
}

GeneDistribution::GeneDistribution(const GraphView& graph, const Policy& policy) : graph_(graph) {
  const GeneFeatures features = gene_features_of(graph, reference_order(graph).places);
  const Network& network = policy.network(kGeneNetwork);
  rows_ = network.run(input_of(graph, features));
  add_anchors(rows_, network.free(kGeneAnchors), features);
  if (as_gene_policy(policy.kind()).order() == GeneOrder::autoregressive) feedback_ = network.free(kGeneFeedback);
}

std::array<float, kGeneOutputs> GeneDistribution::outputs_for(std::size_t place,
                                                              std::span<const GeneChoice> choices) const {
  const std::size_t node = graph_.sequence()[place];
  std::array<float, kGeneOutputs> outputs;
  std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(node * kGeneOutputs), kGeneOutputs, outputs.begin());
  if (feedback_.empty()) return outputs;
  visit_seen_choices(graph_, place, choices, [&](std::size_t column, float share) {
    for (std::size_t i = 0; i < kGeneOutputs; ++i) outputs[i] += share * feedback_[i * kGeneSeen + column];
  });
  return outputs;
}

std::vector<GeneChoice> GeneDistribution::draw(double temperature, Rng& rng) const {
  std::vector<GeneChoice> choices(graph_.operations());
  for (std::size_t place = 0; place < choices.size(); ++place) {
    const std::array<float, kGeneOutputs> outputs = outputs_for(place, choices);
    GeneChoice& choice = choices[graph_.sequence()[place]];
    for (std::size_t head = 0; head < kGeneHeads; ++head)
      choice[head] = drawn_option(std::span(outputs).subspan(gene_heads()[head].first, gene_heads()[head].options),
                                  temperature, rng);
  }
  return choices;
}

double GeneDistribution::log_chance(std::span<const GeneChoice> choices) const {
  double sum = 0;
  for (std::size_t place = 0; place < choices.size(); ++place) {
    const std::array<float, kGeneOutputs> outputs = outputs_for(place, choices);
    const GeneChoice& choice = choices[graph_.sequence()[place]];
    for (std::size_t head = 0; head < kGeneHeads; ++head)
      sum += log_share(std::span(outputs).subspan(gene_heads()[head].first, gene_heads()[head].options), choice[head]);
  }
  return sum;
}

std::vector<std::uint32_t> owners_of_genes(const Task& task, std::size_t operations) {
  std::vector<std::uint32_t> owners(task.sites().size(), kNobody);
  for (std::size_t operation = operations; operation-- > 0;)
    for (const std::uint32_t site : task.sites_about(OperationId(operation)))
      owners[site] = static_cast<std::uint32_t>(operation);
  return owners;
}

GeneKind kind_of_gene(const Site& site) {
  if (site.field == PlanField::device) return GeneKind::device;
  return site.field == PlanField::transfer_priority ? GeneKind::transfer : GeneKind::priority;
}

GeneGuidance guidance_of(std::span<const GeneChoice> choices, const Task& task) {
  const std::vector<std::uint32_t> owners = owners_of_genes(task, choices.size());
  const GeneChoice standard = standard_choice();
  GeneGuidance guidance;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const GeneChoice& choice = owners[i] == kNobody ? standard : choices[owners[i]];
    const GeneKind kind = kind_of_gene(task.sites()[i]);
    guidance.distribution.push_back(beta_of(choice, kind));
    guidance.bias.push_back(bias_of(choice, kind));
  }
  return guidance;
}

}  // namespace hone
