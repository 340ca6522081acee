// X-RLflow: He, Parker, Yoneki, "X-RLflow: graph reinforcement learning for neural network subgraphs transformation",
// MLSys 2023. Nodes are told by their operators alone, edges by shapes over 4096; the graphs of all candidates and the
// current one, which stands for stopping, lie side by side. One update takes in edges, five rounds of graph attention
// follow, sums over nodes become one row a graph, and all rows in a fixed number of slots go through one perceptron.
// Activations are rectified where the paper's leak. Candidates that find no slot cannot be chosen: the dearest, where
// the released program ends with an error.

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "learn/network/layers.h"
#include "learn/rewrite/rewrite_policy.h"
#include "rewrite/rules/replacement.h"

namespace hone {
namespace {

constexpr std::string_view kXrlSchema = "xrlflow-1";
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

/// Graphs side by side, as one.
class MetaGraph {
 public:
  explicit MetaGraph(RuleSetting::Defaults defaults) : defaults_(defaults) {}

  /// The first row of the graph.
  std::uint32_t add(const Graph& graph) {
    const std::uint32_t first = rows_;
    std::vector<std::uint32_t> row_of(graph.node_slots(), kNone);
    const std::vector<NodeId> nodes = graph.nodes();
    for (const NodeId id : nodes) {
      const Node& node = graph.node(id);
      const bool is_computed = std::ranges::any_of(
          node.inputs, [&](ValueId input) { return input.valid() && !is_fixed(graph, input, defaults_); });
      if (!is_computed) continue;
      row_of[id.index()] = rows_++;
      scene_.rows.resize(rows_ * kXrlColumns);
      scene_.rows[(rows_ - 1) * kXrlColumns + operator_column(*node.op)] = 1;
    }
    for (const NodeId id : nodes)
      if (const std::uint32_t to = row_of[id.index()]; to != kNone) add_edges(graph, id, to, row_of);
    return first;
  }

  RewriteScene finish() {
    scene_.nodes = rows_;
    scene_.set_edges(std::move(edges_), features_);
    return std::move(scene_);
  }

  std::vector<std::uint32_t>& actions() { return scene_.actions; }

 private:
  void add_edges(const Graph& graph, NodeId id, std::uint32_t to, const std::vector<std::uint32_t>& row_of) {
    for (const ValueId input : graph.node(id).inputs) {
      const NodeId producer = input.valid() ? graph.value(input).producer : NodeId();
      if (!producer.valid() || row_of[producer.index()] == kNone) continue;
      add_edge(row_of[producer.index()], to, graph.value(input).type.shape);
    }
    add_edge(to, to, {});
  }

  /// The last dims, at the end of the columns.
  void add_edge(std::uint32_t from, std::uint32_t to, const Shape& shape) {
    edges_.emplace_back(from, to);
    for (std::size_t i = 0; i < kXrlEdgeColumns; ++i) {
      const std::size_t axis = shape.size() + i - kXrlEdgeColumns;  // beyond the end for what is padded
      const bool is_there = shape.size() + i >= kXrlEdgeColumns && shape[axis].known();
      const float value = is_there ? static_cast<float>(static_cast<double>(shape[axis].value()) / kLargestDim) : 0;
      features_.push_back(value);
      scene_.rows[to * kXrlColumns + kXrlSorts + i] += value;
    }
  }

  static constexpr std::uint32_t kNone = UINT32_MAX;
  RuleSetting::Defaults defaults_;
  std::uint32_t rows_ = 0;
  RewriteScene scene_;
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
    MetaGraph meta(setting.defaults);
    const std::vector<bool> has_slot = with_slots(question.options);
    for (std::size_t i = 0; i < question.options.size(); ++i) {
      if (!has_slot[i]) {
        meta.actions().push_back(kXrlNoSlot);
        continue;
      }
      Match match = *question.options[i].match;
      match.bindings.graph = &question.state.graph;
      const std::optional<Replacement> change = replacement(match, setting);
      HONE_CHECK(change.has_value(), "rule {} offered what it cannot do", match.rule->name);
      Graph graph = question.state.graph;
      apply(graph, *change);
      meta.actions().push_back(meta.add(graph));
    }
    meta.actions().push_back(meta.add(question.state.graph));
    return meta.finish();
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
  std::vector<float> sums;
  for (std::size_t i = 0; i < scene.actions.size(); ++i) {
    if (scene.actions[i] == kXrlNoSlot) continue;
    std::size_t end = scene.nodes;
    for (std::size_t j = i + 1; j < scene.actions.size() && end == scene.nodes; ++j)
      if (scene.actions[j] != kXrlNoSlot) end = scene.actions[j];
    const std::size_t at = sums.size();
    sums.resize(at + kXrlWidth + 1);
    for (std::size_t row = scene.actions[i]; row < end; ++row)
      for (std::size_t k = 0; k < kXrlWidth; ++k) sums[at + k] += node_rows[row * kXrlWidth + k];
  }
  return sums;
}

std::vector<float> xrl_slots(std::span<const float> readouts) {
  std::vector<float> slots(readouts.begin(), readouts.end());
  slots.resize(kXrlSlots * kXrlReadoutWidth);
  return slots;
}

}  // namespace hone
