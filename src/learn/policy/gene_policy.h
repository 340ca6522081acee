#pragma once

#include "learn/policy/gene_choice.h"
#include "learn/policy/policy_kind.h"
#include "plan/search/task.h"

namespace hone {

/// Whether a node's choices depend on those of other nodes.
enum class GeneOrder : std::uint8_t {
  independent,     // given the graph they do not
  autoregressive,  // on those of the nodes it waits for and of the one before it in topological order
};

/// REGAL's policies: the network `genes` says for every node how the genes about it are drawn and inherited.
class GenePolicyKind final : public PolicyKind {
 public:
  GenePolicyKind(std::string_view name, std::string_view summary, GeneOrder order);

  GeneOrder order() const { return order_; }
  /// The plain genetic algorithm is by far the likeliest choice, so that learning starts from what it is measured by.
  void set_first_rule(Safetensors& contents, const Objective& objective) const override;

 private:
  GeneOrder order_;
};

inline constexpr std::string_view kGeneNetwork = "genes";
/// The array of autoregressive policies by which choices are seen by others: outputs by seen options.
inline constexpr const char* kGeneFeedback = "feedback";
/// What is seen: the mean over the nodes that a node waits for of what they chose, then what the node before it chose,
/// each as a 1 for every chosen option.
inline constexpr std::size_t kGeneSeen = 2 * kGeneOutputs;

const GenePolicyKind& gene_policy(GeneOrder order);
/// A kind as one that guides genes. Throws InputError (usage) where it is another.
const GenePolicyKind& as_gene_policy(const PolicyKind& kind);

/// What a policy says about the genes of one graph.
class GeneDistribution {
 public:
  /// `rows`: outputs of the network, a row a node; `feedback` is empty where choices are independent. The graph must
  /// outlive it.
  GeneDistribution(const GraphView& graph, std::vector<float> rows, std::vector<float> feedback)
      : graph_(graph), rows_(std::move(rows)), feedback_(std::move(feedback)) {}
  /// Asks a policy whose kind is one of these.
  GeneDistribution(const GraphView& graph, const Policy& policy);

  /// Choices for all nodes, drawn with a chance that grows exponentially with their outputs; at a temperature of 0 the
  /// likeliest ones, each in view of those before.
  std::vector<GeneChoice> draw(double temperature, Rng& rng) const;
  /// The logarithm of the chance that a draw at a temperature of 1 comes to these choices.
  double log_chance(std::span<const GeneChoice> choices) const;

 private:
  /// The outputs for a node in view of choices that are made already, which follow the topological order.
  std::array<float, kGeneOutputs> outputs_for(std::size_t place, std::span<const GeneChoice> choices) const;

  const GraphView& graph_;
  std::vector<float> rows_, feedback_;
};

/// By gene of a task: the operation whose choices it follows, the first of those it is about; `kNobody` where it is
/// about none, which the plain genetic algorithm decides.
inline constexpr std::uint32_t kNobody = 0xFFFFFFFF;
std::vector<std::uint32_t> owners_of_genes(const Task& task, std::size_t operations);
GeneKind kind_of_gene(const Site& site);

/// What choices mean to a genetic algorithm that decides a task.
GeneGuidance guidance_of(std::span<const GeneChoice> choices, const Task& task);

/// Visits what the node at a place of the topological order sees of choices before it: columns of the feedback, and how
/// much of each.
template <class Visit>
void visit_seen_choices(const GraphView& graph, std::size_t place, std::span<const GeneChoice> choices, Visit visit) {
  const auto visit_chosen = [&](std::uint32_t node, std::size_t first_column, float share) {
    for (std::size_t head = 0; head < kGeneHeads; ++head)
      visit(first_column + gene_heads()[head].first + choices[node][head], share);
  };
  const std::span<const std::uint32_t> before = graph.before(graph.sequence()[place]);
  for (const std::uint32_t node : before) visit_chosen(node, 0, 1 / static_cast<float>(before.size()));
  if (place > 0) visit_chosen(graph.sequence()[place - 1], kGeneOutputs, 1);
}

}  // namespace hone
