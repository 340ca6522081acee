// Simulated annealing: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", 1983. The first temperature
// follows from sampled changes, the rest from the share of the budget that is spent.

#include <algorithm>
#include <cmath>

#include "plan/methods/aimed_neighbors.h"
#include "plan/methods/energy.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// What can be chosen about simulated annealing.
struct AnnealParameters {
  std::int64_t batch = 4;
  std::int64_t samples = 32;
  double descent = 0.15;
  double accept = 0.1;
  double cooling = 0.01;
  Aim aim;

  Parameters list() {
    Parameters list;
    list.add("batch", &batch, {1, 1e4}, "changes tried at once, of which the first accepted is kept")
        .add("samples", &samples, {1, 1e6}, "changes from which the first temperature follows")
        .add("descent", &descent, {0, 1}, "share of the budget, at first, in which nothing worse is accepted")
        .add("accept", &accept, {1e-9, 0.99}, "chance that an average worsening is accepted at first")
        .add("cooling", &cooling, {1e-9, 1}, "last temperature, as a share of the first");
    aim.add_to(list);
    return list;
  }
};

class Annealing final : public Optimizer {
 public:
  explicit Annealing(const AnnealParameters& parameters) : parameters_(parameters) {}

  Parameters parameters() override { return parameters_.list(); }
  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    AimedNeighbors neighbors(search, parameters_.aim);
    if (!neighbors.exist()) return;
    begun_at_ = search.share_spent();
    current_ = search.task().encode(search.best_plan());
    const std::span<const Cost> costs = search.evaluate(current_);
    if (costs.empty()) return;
    score_ = search.score(costs.front());
    const Energy energy(search, score_);
    // Far from any good plan worsenings are larger than they will ever be again.
    while (progress(search) < parameters_.descent)
      if (!step(search, neighbors, energy)) return;
    if (!calibrate(search, neighbors, energy)) return;
    while (step(search, neighbors, energy)) continue;
  }

 private:
  /// Sets the first temperature so that an average worsening is accepted as often as wanted.
  bool calibrate(Search& search, AimedNeighbors& neighbors, const Energy& energy) {
    const std::span<const Cost> costs = neighbors.evaluate(search, current_, parameters_.samples);
    double sum = 0, count = 0;
    for (const Cost& cost : costs) {
      const double worse = energy(search.score(cost)) - energy(score_);
      if (!(worse > 0) || !std::isfinite(worse)) continue;
      sum += worse;
      ++count;
    }
    first_temperature_ = count > 0 ? sum / count / -std::log(parameters_.accept) : 0;
    return costs.size() == neighbors.count();
  }

  /// How much of what was left of the budget is spent.
  double progress(const Search& search) const {
    return (search.share_spent() - begun_at_) / std::max(1e-9, 1 - begun_at_);
  }

  double temperature(const Search& search) const {
    return first_temperature_ * std::pow(parameters_.cooling, progress(search));
  }

  /// Goes to the first of some neighbours that is accepted; false when the budget is spent.
  bool step(Search& search, AimedNeighbors& neighbors, const Energy& energy) {
    const double heat = temperature(search);
    const std::span<const Cost> costs = neighbors.evaluate(search, current_, parameters_.batch);
    const Score before = score_;
    bool moved = false;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Score score = search.score(costs[i]);
      neighbors.learn(i, score < before);
      // Worsenings up to a bound with an exponential distribution: the rule of Metropolis.
      const double bound = energy(before) - heat * std::log(1 - neighbors.rng().uniform());
      if (moved || !(score <= before || energy(score) <= bound)) continue;
      moved = true;
      score_ = score;
      std::ranges::copy(neighbors.row(i), current_.begin());
    }
    return costs.size() == neighbors.count();
  }

  AnnealParameters parameters_;
  double begun_at_ = 0;
  double first_temperature_ = 0;
  Decisions current_;
  Score score_;
};

const OptimizerKind anneal_kind = OptimizerKind::with_parameters<Annealing, AnnealParameters>(
    "anneal", "simulated annealing that cools as its budget is spent");

}  // namespace
}  // namespace hone
