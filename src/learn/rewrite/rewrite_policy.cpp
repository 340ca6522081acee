#include "learn/rewrite/rewrite_policy.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/hash.h"
#include "learn/network/layers.h"
#include "learn/policy/unlearned_policy.h"
#include "rewrite/search/appraisal.h"
#include "rewrite/worth/node_sort.h"

namespace hone {
namespace {

constexpr std::string_view kRewriteSchema = "hone-rewrite-1";
constexpr std::size_t kSortsAt = kRewriteNumbers, kFamiliesAt = kSortsAt + kNodeSorts,
                      kRulesAt = kFamiliesAt + kFamilyColumns, kRewriteColumns = kRulesAt + kRuleColumns;
constexpr double kSecondsScale = 1000;  // a thousandth of the time at the start counts as one
constexpr float kFirstSaving = 0.2F;    // what saving is worth before anything is learned: so little that all is tried

float squeezed(double value) {  // sizes of all orders, and both signs
  return static_cast<float>(value < 0 ? -std::log1p(-value) : std::log1p(value));
}

/// Makes the rows of one state.
class SceneMaker {
 public:
  explicit SceneMaker(const RewriteQuestion& question)
      : question_(question), graph_(question.state.graph), start_seconds_(question.space.start()->seconds) {}

  RewriteScene make() {
    add_nodes();
    for (const RewriteOption& option : question_.options) add_candidate(option);
    add_whole();
    scene_.nodes = scene_.rows.size() / kRewriteColumns;
    scene_.set_edges(std::move(edges_));
    return std::move(scene_);
  }

 private:
  std::uint32_t next_row() const { return static_cast<std::uint32_t>(scene_.rows.size() / kRewriteColumns); }

  std::span<float> add_row(RewriteColumn sort) {
    scene_.rows.resize(scene_.rows.size() + kRewriteColumns);
    const auto row = std::span(scene_.rows).last(kRewriteColumns);
    row[static_cast<std::size_t>(sort)] = 1;
    return row;
  }
  static float& column(std::span<float> row, RewriteColumn which) { return row[static_cast<std::size_t>(which)]; }

  void add_nodes() {
    const Appraisal appraisal(question_.space, question_.state);
    row_of_.assign(graph_.node_slots(), kNoRow);
    const std::vector<NodeId> nodes = graph_.nodes();
    for (const NodeId id : nodes) {
      const Node& node = graph_.node(id);
      if (appraisal.is_free(node)) continue;
      row_of_[id.index()] = next_row();
      const std::span<float> row = add_row(RewriteColumn::is_node);
      column(row, RewriteColumn::seconds) = squeezed(kSecondsScale * appraisal.seconds(node) / start_seconds_);
      double bytes = 0, readers = 0;
      for (const ValueId output : node.outputs) {
        if (!output.valid()) continue;
        bytes += static_cast<double>(byte_size(graph_.value(output).type).value_or(0));
        readers += static_cast<double>(graph_.users(output).size());
      }
      column(row, RewriteColumn::bytes) = squeezed(bytes) / 10;
      column(row, RewriteColumn::readers) = squeezed(readers);
      row[kSortsAt + static_cast<std::size_t>(sort_of(graph_, node))] = 1;
    }
    for (const NodeId id : nodes)
      for (const ValueId input : graph_.node(id).inputs)
        if (input.valid() && graph_.value(input).producer.valid()) add_edge(graph_.value(input).producer, row_of(id));
  }

  std::uint32_t row_of(NodeId id) const { return row_of_[id.index()]; }

  void add_edge(NodeId from, std::uint32_t to) {
    if (row_of(from) != kNoRow && to != kNoRow) edges_.emplace_back(row_of(from), to);
  }

  void add_candidate(const RewriteOption& option) {
    const std::uint32_t own = next_row();
    scene_.actions.push_back(own);
    const std::span<float> row = add_row(RewriteColumn::is_candidate);
    const double saved = (question_.state.seconds - option.seconds) / start_seconds_;
    column(row, RewriteColumn::seconds) = squeezed(kSecondsScale * saved);
    column(row, RewriteColumn::nodes) = squeezed(static_cast<double>(option.nodes));
    const Rule& rule = *option.match->rule;
    for (const RuleOperation& operation : rule.left) count_sort(row, operation, -1);
    for (const RuleOperation& operation : rule.right) count_sort(row, operation, 1);
    row[kFamiliesAt + hash_text(rule.family) % kFamilyColumns] = 1;
    row[kRulesAt + hash_text(rule.name) % kRuleColumns] = 1;
    double taken = 0;
    for (const auto& nodes : option.match->nodes)
      for (const NodeId id : nodes) {
        add_edge(id, own);
        ++taken;
      }
    column(row, RewriteColumn::taken) = squeezed(taken);
  }

  static void count_sort(std::span<float> row, const RuleOperation& operation, float by) {
    if (operation.op != nullptr) row[kSortsAt + static_cast<std::size_t>(sort_of_operator(operation.op))] += by;
  }

  /// The graph as a whole: stopping is about it, and all candidates tell it what there is.
  void add_whole() {
    const std::uint32_t own = next_row();
    for (const std::uint32_t candidate : scene_.actions) edges_.emplace_back(candidate, own);
    scene_.actions.push_back(own);
    const std::span<float> row = add_row(RewriteColumn::is_whole);
    column(row, RewriteColumn::nodes) = squeezed(static_cast<double>(question_.options.size()));
    column(row, RewriteColumn::taken) = static_cast<float>(question_.share_left);
    column(row, RewriteColumn::gone) = squeezed(kSecondsScale * (1 - question_.state.seconds / start_seconds_));
  }

  static constexpr std::uint32_t kNoRow = UINT32_MAX;
  const RewriteQuestion& question_;
  const Graph& graph_;
  double start_seconds_;
  RewriteScene scene_;
  std::vector<std::uint32_t> row_of_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

NetworkSpec scorer_network(const NetworkShape& shape) {
  NetworkSpec spec = encoder_network("scorer.", shape, kRewriteColumns, kRewriteOutputs);
  spec.free.push_back({.name = kRewriteRule, .shape = {kRewriteColumns}, .deviation = 0.05});
  return spec;
}

class RewritePolicy final : public RewritePolicyKind {
 public:
  RewritePolicy()
      : RewritePolicyKind("rewrite", "which rewrite to take next, any number of candidates", kRewriteSchema,
                          {{kRewriteScorer, scorer_network}}) {}

  /// The rewrite that saves most, while one saves anything: what greedy does.
  void set_first_rule(Safetensors& contents, const Objective&) const override {
    NamedArray& rule = contents.arrays.at(std::string("scorer.") + kRewriteRule);
    std::ranges::fill(rule.values, 0.0F);
    rule.values[static_cast<std::size_t>(RewriteColumn::seconds)] = kFirstSaving;
  }

  RewriteScene scene(const RewriteQuestion& question) const override { return SceneMaker(question).make(); }

  ActionScores scores(const Policy& policy, const RewriteScene& scene) const override {
    const Network& network = policy.network(kRewriteScorer);
    const std::vector<float>& rule = network.free(kRewriteRule);
    const std::vector<float> rows = network.run(scene.input());
    ActionScores scores;
    for (const std::uint32_t row : scene.actions) {
      float logit = rows[row * kRewriteOutputs];
      for (std::size_t i = 0; i < kRewriteColumns; ++i) logit += rule[i] * scene.rows[row * kRewriteColumns + i];
      scores.logits.push_back(logit);
    }
    scores.value = kValuePercent * rows[scene.actions.back() * kRewriteOutputs + 1];
    return scores;
  }
};

const RewritePolicy the_rewrite_policy;

}  // namespace

const RewritePolicyKind& rewrite_policy() { return the_rewrite_policy; }

const RewritePolicyKind& as_rewrite_policy(const PolicyKind& kind) {
  const auto* found = dynamic_cast<const RewritePolicyKind*>(&kind);
  if (found == nullptr) fail_usage("a policy of kind '{}' does not say which rewrite to take", kind.name());
  return *found;
}

Policy rewrite_policy_named(const std::string& name, const RewritePolicyKind& kind) {
  Policy policy = is_unlearned(name) ? Policy(unlearned_policy(name, {&kind, {}}, parse_objective("seconds")), name)
                                     : Policy::load(name);
  if (&policy.kind() != &kind)
    fail_usage("{}: a policy of kind '{}' is asked for, and this is one of kind '{}'", name, kind.name(),
               policy.kind().name());
  return policy;
}

}  // namespace hone
