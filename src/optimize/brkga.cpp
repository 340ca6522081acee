#include "optimize/brkga.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace hone {
namespace {

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

std::size_t share(double part, std::size_t whole) {
  return static_cast<std::size_t>(std::lround(part * static_cast<double>(whole)));
}

}  // namespace

Brkga::Brkga(const BrkgaParameters& parameters, GeneGuidance guidance)
    : parameters_(parameters), guidance_(std::move(guidance)) {}

void Brkga::run(Search& search) {
  prepare(search);
  if (sites_ == 0) return;
  const Decisions start = search.task().encode(search.best_plan());
  for (bool on = begin(search, start); on; on = begin(search, {})) {
    Score best = ranked_.front().score;
    for (std::int64_t idle = 0; idle < parameters_.restart; ++idle) {
      if (!advance(search)) return;
      if (ranked_.front().score < best) idle = 0;
      best = ranked_.front().score;
    }
  }
}

void Brkga::prepare(const Search& search) {
  rng_ = search.rng();
  sites_ = search.task().sites().size();
  HONE_CHECK(guidance_.distribution.empty() || guidance_.distribution.size() == sites_, "guidance of another task");
  HONE_CHECK(guidance_.bias.empty() || guidance_.bias.size() == sites_, "guidance of another task");
  population_ = static_cast<std::size_t>(parameters_.population);
  elites_ = std::max<std::size_t>(1, share(parameters_.elite, population_));
  mutants_ = std::min(share(parameters_.mutants, population_), population_ - elites_);
  genes_.resize(population_ * sites_);
  next_genes_.resize(genes_.size());
  members_.resize(population_);
  ranked_.resize(population_);
  thresholds_.assign(sites_, static_cast<std::uint32_t>(share(parameters_.bias, 65536)));
  for (std::size_t i = 0; i < guidance_.bias.size(); ++i)
    thresholds_[i] = static_cast<std::uint32_t>(share(std::clamp(guidance_.bias[i], 0.0F, 1.0F), 65536));
}

/// A generation at random, with `start` and what is near it among them unless that is empty.
bool Brkga::begin(Search& search, std::span<const float> start) {
  for (std::size_t i = 0; i < population_; ++i) draw(row(genes_, i));
  if (!start.empty()) stay_near(start);
  return judge(search, 0);
}

/// The first member is the start; those after it have ever more other genes, from one up to a third.
void Brkga::stay_near(std::span<const float> start) {
  std::ranges::copy(start, row(genes_, 0).begin());
  const std::size_t count = share(parameters_.near, population_ - 1);
  const double most = std::max(1.0, static_cast<double>(sites_) / 3);
  for (std::size_t i = 1; i <= count; ++i) {
    const double others = std::pow(most, static_cast<double>(i) / static_cast<double>(count));
    const std::span<float> genes = row(genes_, i);
    for (std::size_t gene = 0; gene < sites_; ++gene)
      if (rng_.uniform() * static_cast<double>(sites_) >= others) genes[gene] = start[gene];
  }
}

/// The next generation: the elites, then children, then mutants.
bool Brkga::advance(Search& search) {
  for (std::size_t i = 0; i < elites_; ++i) {
    std::ranges::copy(row(genes_, ranked_[i].row), row(next_genes_, i).begin());
    members_[i] = ranked_[i];
    members_[i].row = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = elites_; i < population_ - mutants_; ++i) {
    const Member& elite = ranked_[rng_.below(elites_)];
    const Member& other = ranked_[elites_ + rng_.below(population_ - elites_)];
    mate(row(genes_, elite.row), row(genes_, other.row), row(next_genes_, i));
  }
  for (std::size_t i = population_ - mutants_; i < population_; ++i) draw(row(next_genes_, i));
  std::swap(genes_, next_genes_);
  return judge(search, elites_);
}

/// Has all members from `first_member` on evaluated, and ranks the generation.
bool Brkga::judge(Search& search, std::size_t first_member) {
  const std::span<const Cost> costs = search.evaluate(std::span(genes_).subspan(first_member * sites_));
  if (costs.size() < population_ - first_member) return false;
  for (std::size_t i = 0; i < costs.size(); ++i)
    members_[first_member + i] = {costs[i], search.score(costs[i]), static_cast<std::uint32_t>(first_member + i)};
  rank();
  return true;
}

/// Best first; of members that cost the same in every respect all but one go behind the rest.
void Brkga::rank() {
  std::ranges::sort(members_, [](const Member& a, const Member& b) {
    return std::tie(a.score, a.cost.seconds, a.cost.peak_bytes, a.row) <
           std::tie(b.score, b.cost.seconds, b.cost.peak_bytes, b.row);
  });
  std::size_t front = 0, back = population_;
  for (std::size_t i = 0; i < population_; ++i) {
    const bool repeated = i > 0 && members_[i].cost == members_[i - 1].cost;
    if (repeated) ranked_[--back] = members_[i];
    else ranked_[front++] = members_[i];
  }
  std::ranges::reverse(std::span(ranked_).subspan(back));
}

void Brkga::draw(std::span<float> genes) {
  if (!guidance_.distribution.empty()) {
    for (std::size_t i = 0; i < sites_; ++i) genes[i] = draw_beta(rng_, guidance_.distribution[i]);
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

/// Random bits are what mating costs, so one draw serves four genes.
void Brkga::mate(std::span<const float> elite, std::span<const float> other, std::span<float> child) {
  constexpr std::size_t kBlock = 256;
  std::uint16_t lots[kBlock];
  for (std::size_t first = 0; first < sites_; first += kBlock) {
    const std::size_t count = std::min(kBlock, sites_ - first);
    for (std::size_t i = 0; i < count; i += 4) {
      const std::uint64_t bits = rng_.next();
      for (std::size_t lane = 0; lane < 4; ++lane) lots[i + lane] = static_cast<std::uint16_t>(bits >> (16 * lane));
    }
    for (std::size_t i = 0; i < count; ++i)
      child[first + i] = lots[i] < thresholds_[first + i] ? elite[first + i] : other[first + i];
  }
}

namespace {
const OptimizerKind brkga_kind =
    kind_with_parameters<Brkga, BrkgaParameters>("brkga", "biased random-key genetic algorithm");
}  // namespace

}  // namespace hone
