#include "optimize/genes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/hash.h"

namespace hone {
namespace {

/// Genes are mated in blocks, so that their lots stay in the fastest memory.
constexpr std::size_t kBlock = 512;

float uniform_key(std::uint64_t bits) { return static_cast<float>(bits & 0xFFFFFF) * 0x1.0p-24F; }

/// Marsaglia and Tsang's method; a shape below one is raised by one and corrected.
double draw_gamma(Rng& rng, double shape) {
  if (shape < 1) return draw_gamma(rng, shape + 1) * std::pow(1.0 - rng.uniform(), 1 / shape);
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = rng.normal();
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(1.0 - rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

float draw_beta(Rng& rng, const GeneGuidance::Beta& shape) {
  const double a = draw_gamma(rng, shape.alpha);
  const double b = draw_gamma(rng, shape.beta);
  return a + b > 0 ? static_cast<float>(a / (a + b)) : 0.5F;
}

/// Signed, like the lots, since processors compare signed words fastest.
std::int16_t threshold(double chance) {
  return static_cast<std::int16_t>(std::lround(std::clamp(chance, 0.0, 1.0) * 65535) - 32768);
}

/// Random bits are what mating costs, so one draw serves four genes.
void draw_lots(Rng& rng, std::int16_t (&lots)[kBlock]) {
  for (std::size_t i = 0; i < kBlock; i += 4) {
    const std::uint64_t bits = rng.next();
    for (std::size_t lane = 0; lane < 4; ++lane) lots[i + lane] = static_cast<std::int16_t>(bits >> (16 * lane));
  }
}

struct Choice {
  const std::int16_t* thresholds;
  const float *elite, *other;
};

/// Written with masks instead of a condition: compilers turn this into eight genes at a time.
void choose(std::size_t count, const std::int16_t* lots, const Choice& from, float* __restrict child) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto mask = static_cast<std::uint32_t>(-static_cast<std::int32_t>(lots[i] < from.thresholds[i]));
    const auto elite = std::bit_cast<std::uint32_t>(from.elite[i]);
    const auto other = std::bit_cast<std::uint32_t>(from.other[i]);
    child[i] = std::bit_cast<float>(other ^ ((elite ^ other) & mask));
  }
}

}  // namespace

GeneSource::GeneSource(std::size_t genes, double bias, const GeneGuidance& guidance, Rng rng)
    : distribution_(guidance.distribution), thresholds_(genes, threshold(bias)), rng_(rng) {
  HONE_CHECK(distribution_.empty() || distribution_.size() == genes, "guidance of another task");
  HONE_CHECK(guidance.bias.empty() || guidance.bias.size() == genes, "guidance of another task");
  for (std::size_t i = 0; i < guidance.bias.size(); ++i) thresholds_[i] = threshold(guidance.bias[i]);
}

void GeneSource::draw(std::span<float> genes) {
  if (!distribution_.empty()) {
    for (std::size_t i = 0; i < genes.size(); ++i) genes[i] = draw_beta(rng_, distribution_[i]);
    return;
  }
  std::size_t i = 0;
  for (; i + 2 <= genes.size(); i += 2) {
    const std::uint64_t bits = rng_.next();
    genes[i] = uniform_key(bits);
    genes[i + 1] = uniform_key(bits >> 32);
  }
  if (i < genes.size()) genes[i] = uniform_key(rng_.next());
}

void GeneSource::mate(const Parents& parents, std::span<float> child) {
  if (parents.genes.size() == 2) return mate_two(parents.genes[0], parents.genes[1], child);
  const std::size_t others = parents.genes.size() - parents.elite;
  for (std::size_t i = 0; i < child.size(); ++i) {
    const std::uint64_t bits = rng_.next();
    const bool from_elite = static_cast<std::int16_t>(bits) < thresholds_[i];
    const std::uint64_t lot = bits >> 32;
    const std::size_t parent = from_elite ? (lot * parents.elite) >> 32 : parents.elite + ((lot * others) >> 32);
    child[i] = parents.genes[parent][i];
  }
}

void GeneSource::mate_two(std::span<const float> elite, std::span<const float> other, std::span<float> child) {
  std::int16_t lots[kBlock];
  for (std::size_t first = 0; first < child.size(); first += kBlock) {
    draw_lots(rng_, lots);
    const std::size_t count = std::min(kBlock, child.size() - first);
    choose(count, lots, {thresholds_.data() + first, elite.data() + first, other.data() + first}, child.data() + first);
  }
}

std::uint64_t hash_of_decoded(std::span<const float> keys, std::span<const Site> sites) {
  std::vector<std::uint32_t> order;
  std::uint64_t hash = keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (sites[i].options == 0) order.push_back(static_cast<std::uint32_t>(i));
    else hash = mix(hash, option_of(keys[i], sites[i].options));
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t site) { return keys[site]; });
  for (const std::uint32_t site : order) hash = mix(hash, site);
  return hash;
}

}  // namespace hone
