// Simulated annealing: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", 1983. The first temperature
// follows from sampled changes, the rest from the share of the budget that is spent.

#include <algorithm>
#include <cmath>

#include "core/optimizer.h"
#include "optimize/energy.h"
#include "optimize/neighborhood.h"

namespace hone {
namespace {

/// What can be chosen about simulated annealing.
struct AnnealParameters {
  std::int64_t batch = 4;
  std::int64_t samples = 32;
  double accept = 0.1;
  double cooling = 0.01;
  double focus = 0.6;
  std::int64_t refresh = 40;

  Parameters list() {
    return Parameters()
        .add("batch", &batch, {1, 1e4}, "changes tried at once, of which the first accepted is kept")
        .add("samples", &samples, {1, 1e6}, "changes from which the first temperature follows")
        .add("accept", &accept, {1e-9, 0.99}, "chance that an average worsening is accepted at first")
        .add("cooling", &cooling, {1e-9, 1}, "last temperature, as a share of the first")
        .add("focus", &focus, {0, 1}, "share of changes to works that are to blame for the cost")
        .add("refresh", &refresh, {1, 1e9}, "evaluations after which those to blame are found anew");
  }
};

class Annealing final : public Optimizer {
 public:
  explicit Annealing(const AnnealParameters& parameters) : parameters_(parameters) {}

  nlohmann::ordered_json parameters() override { return parameters_.list().json(); }

  void run(Search& search) override {
    Neighborhood neighborhood(search.problem(), search.task());
    if (!neighborhood.has_moves()) return;
    rng_ = search.rng();
    begun_at_ = search.share_spent();
    current_ = search.task().encode(search.best_plan());
    const std::span<const Cost> costs = search.evaluate(current_);
    if (costs.empty()) return;
    score_ = search.score(costs.front());
    const Energy energy(search, score_);
    if (!calibrate(search, neighborhood, energy)) return;
    std::int64_t until_refresh = 0;
    do {
      if (until_refresh <= 0) {
        neighborhood.aim(search.blame(current_), parameters_.focus);
        until_refresh = parameters_.refresh;
      }
      until_refresh -= parameters_.batch;
    } while (step(search, neighborhood, energy));
  }

 private:
  std::span<float> row(std::size_t i) { return std::span(rows_).subspan(i * current_.size(), current_.size()); }

  /// Fills `rows_` with neighbours of the current decisions and has them evaluated.
  std::span<const Cost> try_changes(Search& search, const Neighborhood& neighborhood, std::int64_t count) {
    changes_.resize(static_cast<std::size_t>(count));
    rows_.resize(changes_.size() * current_.size());
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      std::ranges::copy(current_, row(i).begin());
      changes_[i] = neighborhood.change(row(i), rng_);
    }
    return search.evaluate(rows_);
  }

  /// Sets the first temperature so that an average worsening is accepted as often as wanted.
  bool calibrate(Search& search, const Neighborhood& neighborhood, const Energy& energy) {
    const std::span<const Cost> costs = try_changes(search, neighborhood, parameters_.samples);
    double sum = 0, count = 0;
    for (const Cost& cost : costs) {
      const double worse = energy(search.score(cost)) - energy(score_);
      if (!(worse > 0) || !std::isfinite(worse)) continue;
      sum += worse;
      ++count;
    }
    first_temperature_ = count > 0 ? sum / count / -std::log(parameters_.accept) : 0;
    return costs.size() == changes_.size();
  }

  double temperature(const Search& search) const {
    const double share = (search.share_spent() - begun_at_) / std::max(1e-9, 1 - begun_at_);
    return first_temperature_ * std::pow(parameters_.cooling, share);
  }

  /// Goes to the first of some neighbours that is accepted; false when the budget is spent.
  bool step(Search& search, Neighborhood& neighborhood, const Energy& energy) {
    const double heat = temperature(search);
    const std::span<const Cost> costs = try_changes(search, neighborhood, parameters_.batch);
    const Score before = score_;
    bool moved = false;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Score score = search.score(costs[i]);
      neighborhood.learn(changes_[i], score < before);
      // The bound is drawn for all, so that the numbers that follow do not depend on who was accepted.
      const double bound = energy(before) - heat * std::log(1 - rng_.uniform());
      if (moved || !(score <= before || energy(score) <= bound)) continue;
      moved = true;
      score_ = score;
      std::ranges::copy(row(i), current_.begin());
    }
    return costs.size() == changes_.size();
  }

  AnnealParameters parameters_;
  Rng rng_{0};
  double begun_at_ = 0;
  double first_temperature_ = 0;
  Decisions current_;
  Score score_;
  Decisions rows_;
  std::vector<Neighborhood::Change> changes_;
};

const OptimizerKind anneal_kind = kind_with_parameters<Annealing, AnnealParameters>(
    "anneal", "simulated annealing that cools as its budget is spent");

}  // namespace
}  // namespace hone
