// The cross-entropy method: Rubinstein, Kroese, "The cross-entropy method", 2004. In so many dimensions a sample with
// all sites drawn anew is hardly ever good, so that most samples draw only some and keep the best decisions known at
// the others; a site learns from the elites that drew it.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// What can be chosen about the cross-entropy method.
struct CemParameters {
  std::int64_t population = 64;
  double elite = 0.15;
  double rate = 0.3;
  double doubt = 1;
  double near = 0.9;
  std::int64_t restart = 40;

  Parameters list() {
    return Parameters()
        .add("population", &population, {4, 1e6}, "samples from which the distributions are learned at once")
        .add("elite", &elite, {0.01, 0.5}, "share of the samples that is learned from")
        .add("rate", &rate, {0.001, 1}, "how far the distributions follow the elites at once")
        .add("doubt", &doubt, {0.001, 1}, "chance, at first, that a site that is drawn leaves the start")
        .add("near", &near, {0, 1}, "share of the samples that draw some sites only, from all but one down to one")
        .add("restart", &restart, {1, 1e9}, "rounds without a better plan after which the distributions are reset");
  }
};

/// What a decision is thought to be: of a key, how large; of options, which.
class Belief {
 public:
  Belief(const std::vector<Site>& sites, double doubt) : sites_(sites), doubt_(doubt) {
    for (const Site& site : sites) {
      first_.push_back(chances_.size());
      chances_.resize(chances_.size() + std::max(2U, site.options));
    }
  }

  /// Around some decisions.
  void center(std::span<const float> row) {
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const std::uint32_t options = sites_[i].options;
      if (options == 0) {
        mean(i) = row[i];
        deviation(i) = kWidestKeys * doubt_;
        continue;
      }
      for (std::uint32_t option = 0; option < options; ++option) chance(i, option) = doubt_ / options;
      chance(i, option_of(row[i], options)) += 1 - doubt_;
    }
  }

  float draw(std::size_t site, Rng& rng) const {
    const std::uint32_t options = sites_[site].options;
    const double* known = &chances_[first_[site]];
    if (options == 0) return static_cast<float>(std::clamp(known[0] + known[1] * rng.normal(), 0.0, 1.0));
    double lot = rng.uniform();
    std::uint32_t option = 0;
    while (option + 1 < options && lot >= known[option]) lot -= known[option++];
    return key_of(option, options);
  }

  /// Moves by `rate` towards what the good ones have in common.
  void learn(std::size_t site, std::span<const float> good, double rate) {
    const auto count = static_cast<double>(good.size());
    const std::uint32_t options = sites_[site].options;
    if (options == 0) {
      const double average = std::accumulate(good.begin(), good.end(), 0.0) / count;
      double variance = 0;
      for (const float key : good) variance += (key - average) * (key - average) / count;
      mean(site) += rate * (average - mean(site));
      deviation(site) += rate * (std::max(kNarrowestKeys, std::sqrt(variance)) - deviation(site));
      return;
    }
    for (std::uint32_t option = 0; option < options; ++option) chance(site, option) *= 1 - rate;
    for (const float key : good) chance(site, option_of(key, options)) += rate / count;
  }

 private:
  static constexpr double kWidestKeys = 0.3;
  static constexpr double kNarrowestKeys = 0.01;

  double& chance(std::size_t site, std::uint32_t option) { return chances_[first_[site] + option]; }
  double& mean(std::size_t site) { return chances_[first_[site]]; }
  double& deviation(std::size_t site) { return chances_[first_[site] + 1]; }

  const std::vector<Site>& sites_;
  double doubt_;
  std::vector<std::size_t> first_;  // by site: into chances_
  std::vector<double> chances_;     // of options; of a key mean and deviation
};

class CrossEntropy final : public Optimizer {
 public:
  explicit CrossEntropy(const CemParameters& parameters) : parameters_(parameters) {}

  Parameters parameters() override { return parameters_.list(); }
  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    Belief belief(search.task().sites(), parameters_.doubt);
    if (search.task().sites().empty()) return;
    rng_ = search.rng();
    best_ = search.task().encode(search.best_plan());
    best_score_ = search.best();
    for (;;) {
      belief.center(best_);
      for (std::int64_t idle = 0; idle < parameters_.restart; ++idle) {
        const Score before = best_score_;
        sample(belief);
        if (!judge(search)) return;
        learn(belief);
        if (best_score_ < before) idle = 0;
      }
    }
  }

 private:
  std::span<float> row(std::size_t i) { return std::span(rows_).subspan(i * best_.size(), best_.size()); }
  bool was_drawn(std::size_t i, std::size_t site) const { return drawn_[i * best_.size() + site] != 0; }

  /// Samples that draw all sites, then some that draw ever fewer.
  void sample(const Belief& belief) {
    const auto population = static_cast<std::size_t>(parameters_.population);
    rows_.resize(population * best_.size());
    drawn_.assign(rows_.size(), 0);
    const double near = std::max(1.0, parameters_.near * static_cast<double>(population));
    for (std::size_t i = 0; i < population; ++i) {
      const double nearness = std::min(1.0, static_cast<double>(population - 1 - i) / near);
      const double share = i + near < static_cast<double>(population)
                               ? 1
                               : std::pow(1 / static_cast<double>(best_.size()), 1 - nearness);
      std::ranges::copy(best_, row(i).begin());
      for (std::size_t site = 0; site < best_.size(); ++site) {
        if (rng_.uniform() >= share) continue;
        row(i)[site] = belief.draw(site, rng_);
        drawn_[i * best_.size() + site] = 1;
      }
    }
  }

  /// Has the samples evaluated and ranked; false when the budget is spent.
  bool judge(Search& search) {
    const std::span<const Cost> costs = search.evaluate(rows_);
    if (costs.size() < static_cast<std::size_t>(parameters_.population)) return false;
    ranked_.resize(costs.size());
    std::iota(ranked_.begin(), ranked_.end(), 0U);
    std::ranges::stable_sort(
        ranked_, [&](std::size_t a, std::size_t b) { return search.score(costs[a]) < search.score(costs[b]); });
    const Score score = search.score(costs[ranked_.front()]);
    if (score <= best_score_) {
      best_score_ = score;
      std::ranges::copy(row(ranked_.front()), best_.begin());
    }
    return true;
  }

  void learn(Belief& belief) {
    const auto elites = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::lround(parameters_.elite * static_cast<double>(parameters_.population))));
    std::vector<float> good;
    for (std::size_t site = 0; site < best_.size(); ++site) {
      good.clear();
      for (std::size_t i = 0; i < elites; ++i)
        if (was_drawn(ranked_[i], site)) good.push_back(row(ranked_[i])[site]);
      const double share = static_cast<double>(good.size()) / static_cast<double>(elites);
      if (!good.empty()) belief.learn(site, good, parameters_.rate * share);
    }
  }

  CemParameters parameters_;
  Rng rng_{0};
  Decisions best_;
  Score best_score_;
  std::vector<float> rows_;          // a row a sample
  std::vector<std::uint8_t> drawn_;  // by sample and site
  std::vector<std::size_t> ranked_;  // samples, best first
};

const OptimizerKind cem_kind =
    OptimizerKind::with_parameters<CrossEntropy, CemParameters>("cem", "cross-entropy method around the best plan");

}  // namespace
}  // namespace hone
