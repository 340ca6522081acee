#include "plan/methods/genes.h"

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

/// Takes the parent's gene wherever the lot is below the threshold. Written with masks instead of a condition:
/// compilers turn this into eight genes at a time.
void take_from(std::span<const float> parent, const std::int16_t* lots, const std::int16_t* thresholds,
               float* __restrict child) {
  for (std::size_t i = 0; i < parent.size(); ++i) {
    const auto mask = static_cast<std::uint32_t>(-static_cast<std::int32_t>(lots[i] < thresholds[i]));
    const auto own = std::bit_cast<std::uint32_t>(parent[i]);
    const auto other = std::bit_cast<std::uint32_t>(child[i]);
    child[i] = std::bit_cast<float>(other ^ ((own ^ other) & mask));
  }
}

/// Chance that a gene is one of the first `parent + 1` parents'.
double chance_up_to(std::size_t parent, const Mating& mating, double bias) {
  if (parent < mating.elite) return bias * static_cast<double>(parent + 1) / static_cast<double>(mating.elite);
  const double others = static_cast<double>(mating.parents - mating.elite);
  return bias + (1 - bias) * static_cast<double>(parent + 1 - mating.elite) / others;
}

}  // namespace

GeneSource::GeneSource(std::size_t genes, const Mating& mating, const GeneGuidance& guidance, Rng rng)
    : distribution_(guidance.distribution), sample_(guidance.sample), rng_(rng) {
  HONE_CHECK(distribution_.empty() || distribution_.size() == genes, "guidance of another task");
  HONE_CHECK(guidance.bias.empty() || guidance.bias.size() == genes, "guidance of another task");
  for (std::size_t parent = 0; parent + 1 < mating.parents; ++parent) {
    thresholds_.emplace_back(genes, threshold(chance_up_to(parent, mating, mating.bias)));
    for (std::size_t i = 0; i < guidance.bias.size(); ++i)
      thresholds_.back()[i] = threshold(chance_up_to(parent, mating, guidance.bias[i]));
  }
}

void GeneSource::draw(std::span<float> genes) {
  if (sample_ && sample_(genes)) return;
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

void GeneSource::mate(std::span<const std::span<const float>> parents, std::span<float> child) {
  std::int16_t lots[kBlock];
  for (std::size_t first = 0; first < child.size(); first += kBlock) {
    draw_lots(rng_, lots);
    const std::size_t count = std::min(kBlock, child.size() - first);
    std::ranges::copy(parents.back().subspan(first, count), child.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t parent = thresholds_.size(); parent-- > 0;)
      take_from(parents[parent].subspan(first, count), lots, thresholds_[parent].data() + first, child.data() + first);
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
