// Iterated local search: Lourenco, Martin, Stuetzle, "Iterated local search", 2003. First improvement among random
// changes, equal plans accepted, since most of a plan can be changed without changing what it costs.

#include <algorithm>

#include "core/optimizer.h"
#include "optimize/neighborhood.h"

namespace hone {
namespace {

/// What can be chosen about local search.
struct LocalParameters {
  std::int64_t batch = 4;
  std::int64_t patience = 400;
  std::int64_t kick = 6;
  double focus = 0.6;
  std::int64_t refresh = 40;

  Parameters list() {
    return Parameters()
        .add("batch", &batch, {1, 1e4}, "changes tried at once, before the best of them is kept")
        .add("patience", &patience, {1, 1e9}, "evaluations without a better plan after which the best is perturbed")
        .add("kick", &kick, {1, 1e4}, "changes that make a perturbation")
        .add("focus", &focus, {0, 1}, "share of changes to works that are to blame for the cost")
        .add("refresh", &refresh, {1, 1e9}, "evaluations after which those to blame are found anew");
  }
};

class LocalSearch final : public Optimizer {
 public:
  explicit LocalSearch(const LocalParameters& parameters) : parameters_(parameters) {}

  nlohmann::ordered_json parameters() override { return parameters_.list().json(); }

  void run(Search& search) override {
    Neighborhood neighborhood(search.problem(), search.task());
    if (!neighborhood.has_moves()) return;
    rng_ = search.rng();
    base_ = current_ = search.task().encode(search.best_plan());
    const std::span<const Cost> costs = search.evaluate(current_);
    if (costs.empty()) return;
    base_score_ = score_ = search.score(costs.front());
    while (descend(search, neighborhood)) perturb(neighborhood);
  }

 private:
  /// Tries changes until none has helped for long; false when the budget is spent.
  bool descend(Search& search, Neighborhood& neighborhood) {
    std::int64_t until_refresh = 0;
    for (std::int64_t idle = 0; idle < parameters_.patience; idle += parameters_.batch) {
      if (until_refresh <= 0) {
        neighborhood.aim(search.blame(current_), parameters_.focus);
        until_refresh = parameters_.refresh;
      }
      until_refresh -= parameters_.batch;
      const Score before = score_;
      if (!step(search, neighborhood)) return false;
      if (score_ < before) idle = 0;
    }
    return true;
  }

  /// Has some neighbours evaluated and goes to the best of them that is no worse.
  bool step(Search& search, Neighborhood& neighborhood) {
    const std::size_t sites = current_.size();
    const auto batch = static_cast<std::size_t>(parameters_.batch);
    rows_.resize(batch * sites);
    changes_.resize(batch);
    for (std::size_t i = 0; i < batch; ++i) {
      const std::span<float> row = std::span(rows_).subspan(i * sites, sites);
      std::ranges::copy(current_, row.begin());
      changes_[i] = neighborhood.change(row, rng_);
    }
    const std::span<const Cost> costs = search.evaluate(rows_);
    std::size_t best = costs.size();
    const Score before = score_;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Score score = search.score(costs[i]);
      if (before.value < kNever) neighborhood.learn(changes_[i], score < before);
      if (score < score_ || (score == score_ && best == costs.size())) {
        best = i;
        score_ = score;
      }
    }
    if (best < costs.size()) std::ranges::copy(std::span(rows_).subspan(best * sites, sites), current_.begin());
    return costs.size() == batch;
  }

  /// Goes back to the best known unless this is as good, and from there some changes away.
  void perturb(const Neighborhood& neighborhood) {
    if (score_ <= base_score_) {
      base_score_ = score_;
      base_ = current_;
    }
    current_ = base_;
    for (std::int64_t i = 0; i < parameters_.kick; ++i) neighborhood.change(current_, rng_);
    score_ = {.excess = kNever, .value = kNever};
  }

  static constexpr double kNever = std::numeric_limits<double>::infinity();

  LocalParameters parameters_;
  Rng rng_{0};
  Decisions current_, base_;
  Score score_, base_score_;
  Decisions rows_;
  std::vector<Neighborhood::Change> changes_;
};

const OptimizerKind local_kind =
    kind_with_parameters<LocalSearch, LocalParameters>("local", "local search that starts anew near its best plan");

}  // namespace
}  // namespace hone
