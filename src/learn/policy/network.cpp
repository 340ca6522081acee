#include "learn/policy/network.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::size_t kMostRounds = 16;

void add_product(std::span<const float> rows, const NamedArray& weight, std::vector<float>& out) {
  RowProduct(weight).add_rows(rows, out);
}

enum class Side { before, after };

std::vector<float> mean_of_neighbours(const GraphView& graph, const std::vector<float>& rows, Side side) {
  const std::size_t width = rows.size() / std::max<std::size_t>(1, graph.operations());
  std::vector<float> means(rows.size());
  for (std::size_t operation = 0; operation < graph.operations(); ++operation) {
    const std::span<const std::uint32_t> near = side == Side::before ? graph.before(operation) : graph.after(operation);
    float* __restrict sum = means.data() + operation * width;
    for (const std::uint32_t other : near)
      for (std::size_t i = 0; i < width; ++i) sum[i] += rows[other * width + i];
    for (std::size_t i = 0; i < width && !near.empty(); ++i) sum[i] /= static_cast<float>(near.size());
  }
  return means;
}

NamedArray drawn(std::vector<std::size_t> shape, double scale, Rng& rng) {
  NamedArray array{.shape = std::move(shape)};
  std::size_t count = 1;
  for (const std::size_t dim : array.shape) count *= dim;
  for (std::size_t i = 0; i < count; ++i) array.values.push_back(static_cast<float>(scale * rng.normal()));
  return array;
}

/// Operations in an order in which each comes after all that it waits for.
std::vector<std::uint32_t> sequence_of(const GraphView& graph) {
  std::vector<std::uint32_t> sequence;
  for (const OperationId operation : graph.problem().workload.topological_order())
    sequence.push_back(static_cast<std::uint32_t>(operation.index()));
  return sequence;
}

void add_messages(Safetensors& contents, const std::string& name, std::size_t width, Rng& rng) {
  for (const char* matrix : {"self", "before", "after"})
    contents.arrays[name + matrix] = drawn({width, width}, 0.5 / std::sqrt(static_cast<double>(width)), rng);
  contents.arrays[name + "bias"] = drawn({width}, 0, rng);
}

void add_recurrences(Safetensors& contents, const std::string& name, std::size_t width, Rng& rng) {
  for (const char* direction : {"forward.", "backward."}) {
    for (const char* matrix : {"input", "state"})
      contents.arrays[name + direction + matrix] =
          drawn({3 * width, width}, 0.5 / std::sqrt(static_cast<double>(width)), rng);
    for (const char* bias : {"input_bias", "state_bias"})
      contents.arrays[name + direction + bias] = drawn({3 * width}, 0, rng);
  }
}

void add_network(Safetensors& contents, const std::string& prefix, std::size_t outputs, const NetworkShape& shape,
                 Rng& rng) {
  const std::size_t width = shape.width;
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  auto& arrays = contents.arrays;
  arrays[prefix + "embed.weight"] = drawn({width, kFeatures}, 1 / std::sqrt(static_cast<double>(kFeatures)), rng);
  arrays[prefix + "embed.bias"] = drawn({width}, 0, rng);
  for (std::size_t i = 0; i < shape.rounds; ++i) {
    const std::string name = fmt::format("{}round{}.", prefix, i);
    if (shape.encoder == Encoder::sequence) add_recurrences(contents, name, width, rng);
    else add_messages(contents, name, width, rng);
  }
  arrays[prefix + "head.weight"] = drawn({outputs, width}, 0.01 * scale, rng);
  arrays[prefix + "head.bias"] = drawn({outputs}, 0, rng);
}

}  // namespace

Network::Network(const Safetensors& contents, const std::string& prefix, std::size_t outputs, std::string_view source) {
  const auto embed = contents.arrays.find(prefix + "embed.weight");
  if (embed == contents.arrays.end() || embed->second.shape.size() != 2)
    fail("{}: the policy has no array '{}embed.weight'", source, prefix);
  width_ = embed->second.shape.front();
  const auto take = [&](const std::string& name, const std::vector<std::size_t>& shape) {
    return array_of(contents, prefix + name, shape, source);
  };
  embed_ = take("embed.weight", {width_, kFeatures});
  embed_bias_ = take("embed.bias", {width_});
  const bool is_sequence = encoder_of(contents, source) == Encoder::sequence;
  const std::string_view last = is_sequence ? "backward.state_bias" : "bias";
  for (std::size_t i = 0; contents.arrays.contains(fmt::format("{}round{}.{}", prefix, i, last)); ++i) {
    if (i == kMostRounds) fail("{}: the policy has more than {} rounds", source, kMostRounds);
    const std::string name = fmt::format("round{}.", i);
    if (is_sequence)
      readings_.push_back({Recurrence(contents, prefix + name + "forward.", width_, source),
                           Recurrence(contents, prefix + name + "backward.", width_, source)});
    else
      rounds_.push_back({take(name + "self", {width_, width_}), take(name + "before", {width_, width_}),
                         take(name + "after", {width_, width_}), take(name + "bias", {width_})});
  }
  head_ = take("head.weight", {outputs, width_});
  head_bias_ = take("head.bias", {outputs});
}

std::vector<float> Network::weights(const GraphView& graph, const Features& features) const {
  const auto relu = [](float value) { return std::max(value, 0.0F); };
  std::vector<float> hidden = repeated(embed_bias_, features.operations);
  add_product(features.rows, embed_, hidden);
  std::ranges::transform(hidden, hidden.begin(), relu);
  for (const Round& round : rounds_) {
    std::vector<float> next = repeated(round.bias, features.operations);
    add_product(hidden, round.self, next);
    add_product(mean_of_neighbours(graph, hidden, Side::before), round.before, next);
    add_product(mean_of_neighbours(graph, hidden, Side::after), round.after, next);
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] += relu(next[i]);
  }
  if (!readings_.empty()) read_as_sequence(graph, hidden);
  std::vector<float> weights = repeated(head_bias_, features.operations);
  add_product(hidden, head_, weights);
  return weights;
}

void Network::read_as_sequence(const GraphView& graph, std::vector<float>& hidden) const {
  const std::vector<std::uint32_t> forward = sequence_of(graph), backward(forward.rbegin(), forward.rend());
  for (const Reading& reading : readings_) {
    const std::vector<float> past = reading.forward.states(hidden, forward),
                             future = reading.backward.states(hidden, backward);
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] += past[i] + future[i];
  }
}

Safetensors untrained_networks(const NetworkShape& shape, std::uint64_t seed) {
  Rng rng(seed);
  Safetensors contents;
  describe(contents, shape.encoder, shape.head);
  add_network(contents, "", kSights, shape, rng);
  contents.arrays["wait"] = drawn({kWaitSights}, 0, rng);
  add_network(contents, std::string(kMovePrefix), kMoveSights, shape, rng);
  return contents;
}

}  // namespace hone
