// Iterated local search: Lourenco, Martin, Stuetzle, "Iterated local search", 2003. Plans that cost the same are
// accepted too, since most of a plan can be changed without changing what it costs.

#include <algorithm>
#include <limits>

#include "plan/methods/aimed_neighbors.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// What can be chosen about local search.
struct LocalParameters {
  std::int64_t batch = 4;
  std::int64_t patience = 400;
  std::int64_t kick = 3;
  Aim aim;

  Parameters list() {
    Parameters list;
    list.add("batch", &batch, {1, 1e4}, "changes tried at once, before the best of them is kept")
        .add("patience", &patience, {1, 1e9}, "evaluations without a better plan after which the best is perturbed")
        .add("kick", &kick, {1, 1e4}, "changes that make a perturbation");
    aim.add_to(list);
    return list;
  }
};

class LocalSearch final : public Optimizer {
 public:
  explicit LocalSearch(const LocalParameters& parameters) : parameters_(parameters) {}

  Parameters parameters() override { return parameters_.list(); }
  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    AimedNeighbors neighbors(search, parameters_.aim);
    if (!neighbors.exist()) return;
    base_ = current_ = search.task().encode(search.best_plan());
    const std::span<const Cost> costs = search.evaluate(current_);
    if (costs.empty()) return;
    base_score_ = score_ = search.score(costs.front());
    while (descend(search, neighbors)) perturb(neighbors);
  }

 private:
  /// Tries changes until none has helped for long; false when the budget is spent.
  bool descend(Search& search, AimedNeighbors& neighbors) {
    for (std::int64_t idle = 0; idle < parameters_.patience; idle += parameters_.batch) {
      const Score before = score_;
      if (!step(search, neighbors)) return false;
      if (score_ < before) idle = 0;
    }
    return true;
  }

  /// Has some neighbours evaluated and goes to the best of them that is no worse.
  bool step(Search& search, AimedNeighbors& neighbors) {
    const std::span<const Cost> costs = neighbors.evaluate(search, current_, parameters_.batch);
    const Score before = score_;
    std::size_t best = costs.size();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Score score = search.score(costs[i]);
      if (before.value < kUnknown) neighbors.learn(i, score < before);
      if (score < score_ || (score == score_ && best == costs.size())) {
        best = i;
        score_ = score;
      }
    }
    if (best < costs.size()) std::ranges::copy(neighbors.row(best), current_.begin());
    return costs.size() == neighbors.count();
  }

  /// Goes back to the best known unless this is as good, and from there some changes away.
  void perturb(AimedNeighbors& neighbors) {
    if (score_ <= base_score_) {
      base_score_ = score_;
      base_ = current_;
    }
    current_ = base_;
    neighbors.perturb(current_, parameters_.kick);
    score_ = {.excess = kUnknown, .value = kUnknown};
  }

  static constexpr double kUnknown = std::numeric_limits<double>::infinity();  // anything is better

  LocalParameters parameters_;
  Decisions current_, base_;
  Score score_, base_score_;
};

const OptimizerKind local_kind = OptimizerKind::with_parameters<LocalSearch, LocalParameters>(
    "local", "local search that starts anew near its best plan");

}  // namespace
}  // namespace hone
