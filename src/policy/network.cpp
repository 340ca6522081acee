#include "policy/network.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::size_t kMostRounds = 16;

/// out += rows * weight^T, a row a work.
void add_product(std::span<const float> rows, const NamedArray& weight, std::vector<float>& out) {
  const std::size_t columns = weight.shape[1], results = weight.shape[0];
  // Transposed, so that the inner loop runs over results, which lie side by side.
  std::vector<float> transposed(columns * results);
  for (std::size_t i = 0; i < results; ++i)
    for (std::size_t j = 0; j < columns; ++j) transposed[j * results + i] = weight.values[i * columns + j];
  for (std::size_t row = 0; row * columns < rows.size(); ++row) {
    float* __restrict sums = out.data() + row * results;
    for (std::size_t j = 0; j < columns; ++j) {
      const float value = rows[row * columns + j];
      const float* line = transposed.data() + j * results;
      for (std::size_t i = 0; i < results; ++i) sums[i] += value * line[i];
    }
  }
}

std::vector<float> repeated(const NamedArray& bias, std::size_t rows) {
  std::vector<float> out;
  out.reserve(rows * bias.values.size());
  for (std::size_t i = 0; i < rows; ++i) out.insert(out.end(), bias.values.begin(), bias.values.end());
  return out;
}

enum class Side { before, after };

std::vector<float> mean_of_neighbours(const GraphView& graph, const std::vector<float>& rows, Side side) {
  const std::size_t width = rows.size() / std::max<std::size_t>(1, graph.works());
  std::vector<float> means(rows.size());
  for (std::size_t work = 0; work < graph.works(); ++work) {
    const std::span<const std::uint32_t> near = side == Side::before ? graph.before(work) : graph.after(work);
    float* __restrict sum = means.data() + work * width;
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

void add_network(Safetensors& contents, const std::string& prefix, std::size_t outputs, const NetworkShape& shape,
                 Rng& rng) {
  const std::size_t width = shape.width;
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  auto& arrays = contents.arrays;
  arrays[prefix + "embed.weight"] = drawn({width, kFeatures}, 1 / std::sqrt(static_cast<double>(kFeatures)), rng);
  arrays[prefix + "embed.bias"] = drawn({width}, 0, rng);
  for (std::size_t i = 0; i < shape.rounds; ++i) {
    const std::string name = fmt::format("{}round{}.", prefix, i);
    for (const char* matrix : {"self", "before", "after"})
      arrays[name + matrix] = drawn({width, width}, 0.5 * scale, rng);
    arrays[name + "bias"] = drawn({width}, 0, rng);
  }
  arrays[prefix + "head.weight"] = drawn({outputs, width}, 0.01 * scale, rng);
  arrays[prefix + "head.bias"] = drawn({outputs}, 0, rng);
}

}  // namespace

const NamedArray& array_of(const Safetensors& contents, const std::string& name, const std::vector<std::size_t>& shape,
                           std::string_view source) {
  const auto found = contents.arrays.find(name);
  if (found == contents.arrays.end()) fail("{}: the policy has no array '{}'", source, name);
  if (found->second.shape != shape) fail("{}: array '{}' of the policy has another shape", source, name);
  return found->second;
}

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
  for (std::size_t i = 0; contents.arrays.contains(fmt::format("{}round{}.bias", prefix, i)); ++i) {
    if (i == kMostRounds) fail("{}: the policy has more than {} rounds", source, kMostRounds);
    const std::string name = fmt::format("round{}.", i);
    rounds_.push_back({take(name + "self", {width_, width_}), take(name + "before", {width_, width_}),
                       take(name + "after", {width_, width_}), take(name + "bias", {width_})});
  }
  head_ = take("head.weight", {outputs, width_});
  head_bias_ = take("head.bias", {outputs});
}

std::vector<float> Network::weights(const GraphView& graph, const Features& features) const {
  const auto relu = [](float value) { return std::max(value, 0.0F); };
  std::vector<float> hidden = repeated(embed_bias_, features.works);
  add_product(features.rows, embed_, hidden);
  std::ranges::transform(hidden, hidden.begin(), relu);
  for (const Round& round : rounds_) {
    std::vector<float> next = repeated(round.bias, features.works);
    add_product(hidden, round.self, next);
    add_product(mean_of_neighbours(graph, hidden, Side::before), round.before, next);
    add_product(mean_of_neighbours(graph, hidden, Side::after), round.after, next);
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] += relu(next[i]);
  }
  std::vector<float> weights = repeated(head_bias_, features.works);
  add_product(hidden, head_, weights);
  return weights;
}

Safetensors untrained_networks(const NetworkShape& shape, std::uint64_t seed) {
  Rng rng(seed);
  Safetensors contents;
  add_network(contents, "", kSights, shape, rng);
  contents.arrays["wait"] = drawn({kWaitSights}, 0, rng);
  add_network(contents, std::string(kMovePrefix), kMoveSights, shape, rng);
  return contents;
}

}  // namespace hone
