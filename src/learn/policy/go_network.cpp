#include "learn/policy/go_network.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "learn/network/dense_rows.h"
#include "learn/network/layers.h"
#include "learn/policy/policy_kind.h"

namespace hone {
namespace {

constexpr float kNever = -1e9F;
constexpr double kSmall = 0.01;       // heads that have learned nothing say next to nothing
constexpr float kUsuallyLeft = 7;     // of the first rule: one operation in hundreds is put on a device
constexpr float kUsuallyAsItWas = 4;  // likewise, of levels

NetworkSpec encoder_part(const NetworkShape& shape) {
  NetworkSpec spec = encoder_network("", shape, kFeatures, shape.width);
  spec.layers.pop_back();  // rows are what others read
  return spec;
}

NetworkSpec decision_part(const NetworkShape& shape) {
  const std::size_t width = shape.width;
  const auto gate = [&](const char* name) {
    return LayerSpec{.name = name, .kind = &superposition_layer, .inputs = width, .outputs = width, .gain = 0.1};
  };
  const auto norm = [&](const char* name) {
    return LayerSpec{.name = name, .kind = &norm_layer, .inputs = width, .outputs = width};
  };
  NetworkSpec spec{.prefix = "decision.", .layers = {}, .free = {}};
  spec.layers = {{.name = "embed",
                  .kind = &dense_layer,
                  .inputs = width + kGoSeen + kGoTaskCount,
                  .outputs = width,
                  .activation = Activation::relu},
                 gate("gate0"),
                 {.name = "attention",
                  .kind = &segment_attention_layer,
                  .inputs = width,
                  .outputs = width,
                  .residual = Residual::added,
                  .segment = kGoSegment},
                 norm("norm0"),
                 gate("gate1"),
                 {.name = "dense",
                  .kind = &dense_layer,
                  .inputs = width,
                  .outputs = width,
                  .activation = Activation::relu,
                  .residual = Residual::added},
                 norm("norm1")};
  return spec;
}

NetworkSpec place_part(const NetworkShape& shape) {
  const std::size_t width = shape.width;
  NetworkSpec spec{.prefix = "place.", .layers = {}, .free = {}};
  spec.layers = {{.name = "embed", .kind = &dense_layer, .inputs = width, .outputs = width}};
  spec.free = {{.name = kGoPairMap, .shape = {width, kGoPair}, .deviation = 0.3},
               {.name = kGoPairHead, .shape = {width}, .deviation = kSmall},
               {.name = kGoPairRule, .shape = {kGoPair}},
               {.name = kGoLeave, .shape = {width}, .deviation = kSmall},
               {.name = kGoLeaveBias, .shape = {1}}};
  return spec;
}

NetworkSpec levels_part(const char* prefix, const NetworkShape& shape, std::size_t inputs, std::size_t outputs) {
  return encoder_network(prefix, {.width = shape.width, .rounds = 0, .encoder = shape.encoder}, inputs, outputs);
}
NetworkSpec schedule_part(const NetworkShape& shape) { return levels_part("schedule.", shape, shape.width, kGoLevels); }
NetworkSpec fuse_part(const NetworkShape& shape) { return levels_part("fuse.", shape, shape.width, kGoFusions); }
NetworkSpec graph_part(const NetworkShape& shape) {
  return levels_part("graph.", shape, shape.width + kGoOverall, kGoGraphOutputs);
}

class GoPolicy final : public PolicyKind {
 public:
  GoPolicy()
      : PolicyKind("go", "devices, orders and fusions of all operations at once, in passes", kGoSchema,
                   {{kGoEncoder, encoder_part},
                    {kGoDecision, decision_part},
                    {kGoPlace, place_part},
                    {kGoSchedule, schedule_part},
                    {kGoFuse, fuse_part},
                    {kGoGraph, graph_part}}) {}

  /// Nearly everything is left to the constructor, which is what a policy that knows nothing should do.
  void set_first_rule(Safetensors& contents, const Objective&) const override {
    contents.arrays.at(std::string("place.") + kGoLeaveBias).values = {kUsuallyLeft};
    contents.arrays.at("schedule.head.bias").values[kGoLevels / 2] = kUsuallyAsItWas;
    contents.arrays.at("fuse.head.bias").values[kGoFusions - 1] = kUsuallyAsItWas;
  }
};

const GoPolicy go_kind;

float product(const float* one, const float* other, std::size_t count) {
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += one[i] * other[i];
  return sum;
}

GoWithout trained_without(const Policy& policy) {
  const auto entry = policy.card().find(kGoWithoutEntry);
  return entry == policy.card().end() ? GoWithout::nothing : go_without(entry->second);
}

}  // namespace

const PolicyKind& go_policy() { return go_kind; }

const PolicyKind& as_go_policy(const PolicyKind& kind) {
  if (&kind != &go_kind) fail_usage("policies of kind '{}' do not decide for all operations at once", kind.name());
  return kind;
}

bool go_may_run(const GraphView& graph, std::size_t operation, std::size_t device) {
  const std::vector<DeviceId>& able = graph.choices().devices(graph.choices().choice_of(OperationId(operation)));
  return std::ranges::binary_search(able, DeviceId(device));
}

std::vector<float> mean_row(std::span<const float> rows, std::size_t count) {
  const std::size_t width = rows.size() / std::max<std::size_t>(1, count);
  std::vector<double> sums(width);
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i % width] += static_cast<double>(rows[i]);
  std::vector<float> mean;
  for (const double sum : sums) mean.push_back(static_cast<float>(sum / static_cast<double>(count)));
  return mean;
}

std::vector<float> go_decision_rows(std::span<const float> embedded, std::span<const float> before,
                                    const GoSight& sight, std::size_t task) {
  const std::size_t count = sight.seen.size() / kGoSeen, width = embedded.size() / std::max<std::size_t>(1, count);
  std::vector<float> rows;
  rows.reserve(count * (width + kGoSeen + kGoTaskCount));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < width; ++k)
      rows.push_back(embedded[i * width + k] + (before.empty() ? 0 : before[i * width + k]));
    rows.insert(rows.end(), sight.seen.begin() + static_cast<std::ptrdiff_t>(i * kGoSeen),
                sight.seen.begin() + static_cast<std::ptrdiff_t>((i + 1) * kGoSeen));
    for (std::size_t k = 0; k < kGoTaskCount; ++k) rows.push_back(k == task ? 1.0F : 0.0F);
  }
  return rows;
}

GoWithout go_without(std::string_view name) {
  if (name == "attention") return GoWithout::attention;
  if (name == "superposition") return GoWithout::superposition;
  return name == "recurrence" ? GoWithout::recurrence : GoWithout::nothing;
}

NetworkSpec go_layers_without(NetworkSpec spec, GoWithout without) {
  std::erase_if(spec.layers, [&](const LayerSpec& layer) {
    return (without == GoWithout::attention && layer.kind == &segment_attention_layer) ||
           (without == GoWithout::superposition && layer.kind == &superposition_layer);
  });
  return spec;
}

GoNetwork::GoNetwork(const Policy& policy, GoWithout without)
    : policy_(policy), without_(without == GoWithout::nothing ? trained_without(policy) : without) {
  as_go_policy(policy.kind());
  if (without_ == GoWithout::attention || without_ == GoWithout::superposition) {
    const Network& whole = policy.network(kGoDecision);
    ablated_ = whole.with(go_layers_without(whole.spec(), without_));
  }
}

std::vector<float> GoNetwork::encode(const GraphView& graph, const Features& features) const {
  return policy_.network(kGoEncoder).run(input_of(graph, features));
}

std::vector<float> GoNetwork::run_layers(const GraphView& graph, std::span<const float> rows,
                                         std::span<const float> condition) const {
  const Network& network = ablated_ ? *ablated_ : policy_.network(kGoDecision);
  return network.run({.nodes = graph.operations(),
                      .rows = rows,
                      .edges = graph.edges(),
                      .edge_rows = {},
                      .sequence = graph.sequence(),
                      .condition = condition});
}

GoScores GoNetwork::decide(const GraphView& graph, std::span<const float> embedded, const GoSight& sight,
                           const GoTasks& tasks) const {
  const std::vector<float> condition = mean_row(embedded, graph.operations());
  const auto rows_alone = [&](std::string_view network, std::span<const float> rows, std::size_t count) {
    return policy_.network(network).run(
        {.nodes = count, .rows = rows, .edges = {}, .edge_rows = {}, .sequence = {}, .condition = {}});
  };
  std::vector<float> about = condition;
  about.insert(about.end(), sight.overall.begin(), sight.overall.end());
  GoScores scores{.place = {}, .schedule = {}, .fuse = {}, .graph = rows_alone(kGoGraph, about, 1)};
  std::vector<float> given;
  const auto solve = [&](std::size_t task) {
    const std::vector<float> before = without_ == GoWithout::recurrence ? std::vector<float>() : given;
    given = run_layers(graph, go_decision_rows(embedded, before, sight, task), condition);
  };
  if (tasks.place) {
    solve(0);
    scores.place = place_scores(graph, rows_alone(kGoPlace, given, graph.operations()), sight);
  }
  if (tasks.schedule) {
    solve(1);
    scores.schedule = rows_alone(kGoSchedule, given, graph.operations());
  }
  if (tasks.fuse) {
    solve(2);
    scores.fuse = rows_alone(kGoFuse, given, graph.operations());
  }
  return scores;
}

std::vector<float> GoNetwork::place_scores(const GraphView& graph, std::span<const float> rows,
                                           const GoSight& sight) const {
  const Network& network = policy_.network(kGoPlace);
  const std::size_t width = network.spec().outputs(), devices = graph.devices();
  const RowProduct pair({.shape = {width, kGoPair}, .values = network.free(kGoPairMap)});
  const std::vector<float>&head = network.free(kGoPairHead), &rule = network.free(kGoPairRule),
        &leave = network.free(kGoLeave);
  std::vector<float> scores, hidden(width);
  scores.reserve(graph.operations() * (devices + 1));
  for (std::size_t i = 0; i < graph.operations(); ++i) {
    const float* row = rows.data() + i * width;
    const auto positive = [&] {
      for (float& value : hidden) value = std::max(0.0F, value);
    };
    hidden.assign(row, row + width);
    positive();
    scores.push_back(product(hidden.data(), leave.data(), width) + network.free(kGoLeaveBias).front());
    for (std::size_t device = 0; device < devices; ++device) {
      const float* about = sight.pairs.data() + (i * devices + device) * kGoPair;
      hidden.assign(row, row + width);
      pair.add(about, hidden.data());
      positive();
      const float score = product(hidden.data(), head.data(), width) + product(about, rule.data(), kGoPair);
      scores.push_back(go_may_run(graph, i, device) ? score : kNever);
    }
  }
  return scores;
}

}  // namespace hone
