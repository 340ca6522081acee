// X-RLflow: He, Parker, Yoneki, "X-RLflow: graph reinforcement learning for neural network subgraphs transformation",
// MLSys 2023. Nodes are told by their operators alone, edges by shapes over 4096; the graphs of all candidates and the
// current one, which stands for stopping, lie side by side. One update takes in edges, five rounds of graph attention
// follow, sums over nodes become one row a graph, and all rows in a fixed number of slots go through one perceptron.
// Activations are rectified where the paper's leak. Candidates that find no slot cannot be chosen: the dearest, where
// the released program ends with an error. Slots are 224 and not 500, and weights are kept in half precision, so that
// a file has 7.5 MB and not 33.
//
// Graphs of candidates differ from the current one by a few nodes, and five rounds see no further than five edges. So a
// node of one graph comes to the same row as one of another around which all is the same that far. Such nodes are of one
// class and have one row (`SharedGraphs`): the numbers are those of graphs side by side, for a tenth of the work or less.

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <unordered_map>

#include "base/error.h"
#include "base/hash.h"
#include "learn/network/layers.h"
#include "learn/rewrite/rewrite_policy.h"
#include "rewrite/rules/replacement.h"

namespace hone {
namespace {

constexpr std::string_view kXrlSchema = "xrlflow-2";
constexpr double kLargestDim = 4096;  // by which dims are divided
constexpr std::size_t kXrlRounds = 5, kXrlHidden = 256, kXrlLastHidden = 64;

constexpr std::string_view kXrlOperators[] = {"Conv",         "FusedConv",
                                              "MatMul",       "Gemm",
                                              "Relu",         "Clip",
                                              "Sigmoid",      "Tanh",
                                              "Erf",          "Gelu",
                                              "LeakyRelu",    "HardSwish",
                                              "HardSigmoid",  "Softmax",
                                              "Add",          "Sub",
                                              "Mul",          "Div",
                                              "Pow",          "Sqrt",
                                              "Exp",          "Neg",
                                              "Reciprocal",   "Max",
                                              "Min",          "Where",
                                              "ReduceMean",   "ReduceSum",
                                              "ReduceMax",    "MaxPool",
                                              "AveragePool",  "GlobalAveragePool",
                                              "Concat",       "Split",
                                              "Slice",        "Gather",
                                              "Transpose",    "Reshape",
                                              "Flatten",      "Squeeze",
                                              "Unsqueeze",    "Expand",
                                              "Pad",          "BatchNormalization",
                                              "Cast",         "LayerNormalization",
                                              "ConvTranspose"};
constexpr std::size_t kXrlSorts = std::size(kXrlOperators) + 1;  // the last is for all others
constexpr std::size_t kXrlColumns = kXrlSorts + kXrlEdgeColumns;

std::size_t operator_column(const OpName& op) {
  static const auto columns = [] {
    std::unordered_map<std::string_view, std::size_t> made;
    for (std::size_t i = 0; i < std::size(kXrlOperators); ++i) made.emplace(kXrlOperators[i], i);
    return made;
  }();
  const auto found = columns.find(op.name);
  return found == columns.end() ? kXrlSorts - 1 : found->second;
}

/// Which nodes of a graph depend on its inputs, each looked at once.
class ComputedNodes {
 public:
  ComputedNodes(const Graph& graph, RuleSetting::Defaults defaults)
      : graph_(graph), defaults_(defaults), known_(graph.node_slots(), Known::no) {}

  bool is_computed(NodeId id) {
    Known& known = known_[id.index()];
    if (known == Known::no) {
      const bool found = std::ranges::any_of(graph_.node(id).inputs, [&](ValueId input) { return varies(input); });
      known = found ? Known::computed : Known::fixed;
    }
    return known == Known::computed;
  }

 private:
  enum class Known : std::uint8_t { no, computed, fixed };

  bool varies(ValueId input) {
    if (!input.valid()) return false;
    const Value& value = graph_.value(input);
    if (value.constant || !value.producer.valid()) return !is_fixed(graph_, input, defaults_);
    return graph_.node(value.producer).inputs.empty() || is_computed(value.producer);
  }

  const Graph& graph_;
  RuleSetting::Defaults defaults_;
  std::vector<Known> known_;
};

/// Graphs side by side, nodes of the same class once.
class SharedGraphs {
 public:
  explicit SharedGraphs(RuleSetting::Defaults defaults) : defaults_(defaults) {}

  /// The number of the graph.
  std::uint32_t add(const Graph& graph) {
    const Neighbourhoods seen = neighbourhoods(graph);
    const std::vector<std::uint64_t> classes = classes_of(seen);
    std::vector<std::uint32_t> rows, fresh;
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
      const auto [found, is_new] = row_of_.emplace(classes[i], static_cast<std::uint32_t>(scene_.classes.size()));
      rows.push_back(found->second);
      if (!is_new) continue;
      scene_.classes.push_back(classes[i]);
      fresh.push_back(i);
    }
    for (const std::uint32_t i : fresh) add_row(seen, i, rows);
    std::ranges::sort(rows);
    graphs_.push_back(std::move(rows));
    return static_cast<std::uint32_t>(graphs_.size() - 1);
  }

  std::vector<std::uint32_t>& actions() { return scene_.actions; }

  RewriteScene finish() {
    scene_.nodes = scene_.classes.size();
    scene_.set_edges(std::move(edges_), features_);
    for (std::uint32_t i = 0; i + 1 < graphs_.size(); ++i) add_difference(i);
    for (const std::uint32_t row : graphs_.back()) add_share(static_cast<std::uint32_t>(graphs_.size() - 1), row, 1);
    return std::move(scene_);
  }

 private:
  struct InEdge {
    std::uint32_t from = 0;  // place among the nodes of the graph
    std::array<float, kXrlEdgeColumns> features{};
  };
  /// By node that is computed: its operator and what it reads.
  struct Neighbourhoods {
    std::vector<std::size_t> sorts;
    FlatLists<InEdge> edges;
  };

  Neighbourhoods neighbourhoods(const Graph& graph) const {
    std::vector<std::uint32_t> place(graph.node_slots(), kNone);
    std::vector<NodeId> computed;
    ComputedNodes asked(graph, defaults_);
    for (const NodeId id : graph.nodes()) {
      if (!asked.is_computed(id)) continue;
      place[id.index()] = static_cast<std::uint32_t>(computed.size());
      computed.push_back(id);
    }
    Neighbourhoods seen;
    for (const NodeId id : computed) {
      seen.sorts.push_back(operator_column(*graph.node(id).op));
      for (const ValueId input : graph.node(id).inputs) {
        const NodeId producer = input.valid() ? graph.value(input).producer : NodeId();
        if (producer.valid() && place[producer.index()] != kNone)
          seen.edges.add({place[producer.index()], edge_features(graph.value(input).type.shape)});
      }
      seen.edges.add({place[id.index()], {}});
      seen.edges.end_list();
    }
    return seen;
  }

  /// The last dims, at the end of the columns.
  static std::array<float, kXrlEdgeColumns> edge_features(const Shape& shape) {
    std::array<float, kXrlEdgeColumns> features{};
    for (std::size_t i = 0; i < kXrlEdgeColumns; ++i) {
      if (shape.size() + i < kXrlEdgeColumns) continue;  // padded
      const Dim& dim = shape[shape.size() + i - kXrlEdgeColumns];
      if (dim.known()) features[i] = static_cast<float>(static_cast<double>(dim.value()) / kLargestDim);
    }
    return features;
  }

  /// Equal for nodes that come to the same row: a hash of what they are and of all that reaches them in so many rounds.
  /// What a node reads is added up, since attention knows no order.
  static std::vector<std::uint64_t> classes_of(const Neighbourhoods& seen) {
    std::vector<std::uint64_t> kinds;  // of edges
    for (const InEdge& edge : seen.edges.items()) {
      std::uint64_t hash = 1;
      for (const float value : edge.features) hash = mix(hash, std::bit_cast<std::uint32_t>(value));
      kinds.push_back(hash);
    }
    std::vector<std::uint64_t> classes, next(seen.sorts.size());
    for (const std::size_t sort : seen.sorts) classes.push_back(mix(2, sort));
    for (std::size_t round = 0; round <= kXrlRounds; ++round) {  // the first is the update by edges
      for (std::size_t i = 0; i < classes.size(); ++i) {
        std::uint64_t sum = 0;
        for (std::uint32_t edge = seen.edges.begin_of(i); edge < seen.edges.begin_of(i + 1); ++edge)
          sum += round == 0 ? mix(3, kinds[edge]) : mix(classes[seen.edges.items()[edge].from], kinds[edge]);
        next[i] = mix(classes[i], sum);
      }
      std::swap(classes, next);
    }
    return classes;
  }

  /// The features of a new row and its edges; `rows` are those of the nodes of its graph.
  void add_row(const Neighbourhoods& seen, std::uint32_t node, std::span<const std::uint32_t> rows) {
    const std::size_t at = scene_.rows.size();
    scene_.rows.resize(at + kXrlColumns);
    scene_.rows[at + seen.sorts[node]] = 1;
    for (const InEdge& edge : seen.edges[node]) {
      edges_.emplace_back(rows[edge.from], rows[node]);
      features_.insert(features_.end(), edge.features.begin(), edge.features.end());
      for (std::size_t i = 0; i < kXrlEdgeColumns; ++i) scene_.rows[at + kXrlSorts + i] += edge.features[i];
    }
  }

  void add_share(std::uint32_t graph, std::uint32_t row, float times) { scene_.shares.push_back({graph, row, times}); }

  /// What a graph has that the last has not, and the other way round.
  void add_difference(std::uint32_t graph) {
    const std::vector<std::uint32_t>&own = graphs_[graph], &last = graphs_.back();
    std::vector<std::uint32_t> only;
    std::ranges::set_difference(own, last, std::back_inserter(only));
    for (const std::uint32_t row : only) add_share(graph, row, 1);
    only.clear();
    std::ranges::set_difference(last, own, std::back_inserter(only));
    for (const std::uint32_t row : only) add_share(graph, row, -1);
  }

  static constexpr std::uint32_t kNone = UINT32_MAX;
  RuleSetting::Defaults defaults_;
  RewriteScene scene_;
  std::unordered_map<std::uint64_t, std::uint32_t> row_of_;  // by class
  std::vector<std::vector<std::uint32_t>> graphs_;           // rows of their nodes, ascending; more than once where nodes are alike
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::vector<float> features_;
};

/// Which rewrites find a slot, one being for the current graph: all, or the cheapest.
std::vector<bool> with_slots(std::span<const RewriteOption> options) {
  std::vector<bool> has_slot(options.size(), options.size() < kXrlSlots);
  if (options.size() < kXrlSlots) return has_slot;
  std::vector<std::size_t> order(options.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return options[i].seconds; });
  for (std::size_t i = 0; i + 1 < kXrlSlots; ++i) has_slot[order[i]] = true;
  return has_slot;
}

NetworkSpec graphs_network(const NetworkShape&) {
  NetworkSpec spec{.prefix = "graphs.", .layers = {}, .free = {}};
  spec.layers.push_back({.name = "embed",
                         .kind = &dense_layer,
                         .inputs = kXrlColumns,
                         .outputs = kXrlWidth,
                         .activation = Activation::relu});
  for (std::size_t i = 0; i < kXrlRounds; ++i)
    spec.layers.push_back({.name = fmt::format("attention{}", i),
                           .kind = &graph_attention_layer,
                           .inputs = kXrlWidth,
                           .outputs = kXrlWidth,
                           .activation = Activation::relu,
                           .edge_features = kXrlEdgeColumns});
  return spec;
}

NetworkSpec readout_network(const NetworkShape&) {
  return {.prefix = "readout.",
          .layers = {{.name = "embed",
                      .kind = &dense_layer,
                      .inputs = kXrlWidth + 1,
                      .outputs = kXrlReadoutWidth,
                      .activation = Activation::relu}},
          .free = {}};
}

NetworkSpec slots_network(std::string prefix, std::size_t outputs) {
  constexpr double kLastGain = 0.01;
  return {.prefix = std::move(prefix),
          .layers =
              {{.name = "embed",
                .kind = &dense_layer,
                .inputs = kXrlSlots * kXrlReadoutWidth,
                .outputs = kXrlHidden,
                .activation = Activation::tanh},
               {.name = "hidden",
                .kind = &dense_layer,
                .inputs = kXrlHidden,
                .outputs = kXrlLastHidden,
                .activation = Activation::tanh},
               {.name = "head", .kind = &dense_layer, .inputs = kXrlLastHidden, .outputs = outputs, .gain = kLastGain}},
          .free = {}};
}

/// One row through a network.
std::vector<float> run_rows(const Network& network, std::span<const float> rows, std::size_t count) {
  FlatLists<std::uint32_t> none;
  for (std::size_t i = 0; i < count; ++i) none.end_list();
  return network.run({.nodes = count, .rows = rows, .edges = {&none, &none}});
}

class XrlflowPolicy final : public RewritePolicyKind {
 public:
  XrlflowPolicy()
      : RewritePolicyKind("xrlflow", "X-RLflow as published: whole graphs of candidates in slots", kXrlSchema,
                          {{kXrlGraphs, graphs_network},
                           {kXrlReadout, readout_network},
                           {kXrlChoice, [](const NetworkShape&) { return slots_network("choice.", kXrlSlots); }},
                           {kXrlValue, [](const NetworkShape&) { return slots_network("value.", 1); }}}) {}

  RewriteScene scene(const RewriteQuestion& question) const override {
    const RuleSetting& setting = question.space.matcher().setting();
    SharedGraphs graphs(setting.defaults);
    const std::vector<bool> has_slot = with_slots(question.options);
    for (std::size_t i = 0; i < question.options.size(); ++i) {
      if (!has_slot[i]) {
        graphs.actions().push_back(kXrlNoSlot);
        continue;
      }
      Match match = *question.options[i].match;
      match.bindings.graph = &question.state.graph;
      const std::optional<Replacement> change = replacement(match, setting);
      HONE_CHECK(change.has_value(), "rule {} offered what it cannot do", match.rule->name);
      Graph graph = question.state.graph;
      apply(graph, *change);
      graphs.actions().push_back(graphs.add(graph));
    }
    graphs.actions().push_back(graphs.add(question.state.graph));
    return graphs.finish();
  }

  ActionScores scores(const Policy& policy, const RewriteScene& scene) const override {
    const std::vector<float> sums = xrl_graph_sums(policy.network(kXrlGraphs).run(scene.input()), scene);
    const std::size_t graphs = sums.size() / (kXrlWidth + 1);
    const std::vector<float> slots = xrl_slots(run_rows(policy.network(kXrlReadout), sums, graphs));
    const std::vector<float> logits = run_rows(policy.network(kXrlChoice), slots, 1);
    ActionScores scores{.logits = {}, .value = kValuePercent * run_rows(policy.network(kXrlValue), slots, 1)[0]};
    std::size_t slot = 0;
    for (const std::uint32_t first : scene.actions)
      scores.logits.push_back(first == kXrlNoSlot ? kXrlMasked : logits[slot++]);
    return scores;
  }
};

const XrlflowPolicy the_xrlflow_policy;

}  // namespace

const RewritePolicyKind& xrlflow_policy() { return the_xrlflow_policy; }

std::vector<float> xrl_graph_sums(std::span<const float> node_rows, const RewriteScene& scene) {
  const std::size_t graphs = scene.actions.back() + 1, row_width = kXrlWidth + 1;
  std::vector<float> sums(graphs * row_width);
  for (const auto& [graph, row, times] : scene.shares)
    for (std::size_t k = 0; k < kXrlWidth; ++k) sums[graph * row_width + k] += times * node_rows[row * kXrlWidth + k];
  const std::span<const float> last = std::span(sums).last(row_width);
  for (std::size_t at = 0; at + row_width < sums.size(); ++at) sums[at] += last[at % row_width];
  return sums;
}

std::vector<float> xrl_slots(std::span<const float> readouts) {
  std::vector<float> slots(readouts.begin(), readouts.end());
  slots.resize(kXrlSlots * kXrlReadoutWidth);
  return slots;
}

}  // namespace hone
