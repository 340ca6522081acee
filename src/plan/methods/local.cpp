// Iterated local search: Lourenco, Martin, Stuetzle, "Iterated local search", 2003. Plans that cost the same are
// accepted too, since most of a plan can be changed without changing what it costs.

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "plan/methods/aimed_neighbors.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// What can be chosen about local search.
struct LocalParameters {
  std::int64_t batch = 4;
  std::int64_t patience = 400;
  std::int64_t kick = 3;
  double turns = 0;
  Aim aim;

  Parameters list() {
    Parameters list;
    list.add("batch", &batch, {1, 1e4}, "changes tried at once, before the best of them is kept")
        .add("patience", &patience, {1, 1e9}, "evaluations without a better plan after which the best is perturbed")
        .add("kick", &kick, {1, 1e4}, "changes that make a perturbation")
        .add("turns", &turns, {0, 1}, "share of the budget for kernels, devices and order in turn before all at once");
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
    race_spread_plan(search, neighbors);
    take_turns(search);
    climb(search, neighbors, kNoEnd);
  }

 private:
  /// A plan that leaves most devices empty is hard to get away from by small changes where memory counts: as soon as a
  /// device waits for another one it runs ahead with whatever is ready and holds the more. So a plan with places drawn
  /// at random, if it is better, gets as much of the budget as the one there is, and the better of the two is kept. Of
  /// two devices one is full, and what was there leads further.
  void race_spread_plan(Search& search, AimedNeighbors& neighbors) {
    if (search.problem().objective != Objective::peak_bytes || search.problem().machine.device_count() <= 2) return;
    Decisions spread = base_;
    for (std::size_t i = 0; i < spread.size(); ++i)
      if (search.task().sites()[i].field == PlanField::device)
        spread[i] = static_cast<float>(neighbors.rng().uniform());
    const std::span<const Cost> costs = search.evaluate(spread);
    if (costs.empty() || !(search.score(costs.front()) < base_score_)) return;
    const Score score = search.score(costs.front());
    climb(search, neighbors, kRace);
    go_back();
    const Decisions other = std::exchange(base_, spread);
    const Score other_score = std::exchange(base_score_, score);
    current_ = base_;
    score_ = base_score_;
    climb(search, neighbors, 2 * kRace);
    go_back();
    if (!(other_score < base_score_)) return;
    current_ = base_ = other;
    score_ = base_score_ = other_score;
  }

  /// Decides one field of a plan after another, each with an equal share of the budget.
  void take_turns(Search& search) {
    if (parameters_.turns == 0) return;
    std::set<PlanField> fields;
    for (const Site& site : search.task().sites()) fields.insert(site.field);
    const double turn = parameters_.turns * (1 - search.share_spent()) / static_cast<double>(fields.size());
    for (const PlanField field : fields) {
      AimedNeighbors some(search, parameters_.aim, field);
      if (some.exist()) climb(search, some, search.share_spent() + turn);
      go_back();
    }
  }

  /// Goes up and away from the top again until that share of the budget is spent.
  void climb(Search& search, AimedNeighbors& neighbors, double end) {
    while (descend(search, neighbors, end)) {
      go_back();
      neighbors.perturb(current_, parameters_.kick);
      score_ = {.excess = kUnknown, .value = kUnknown};
    }
  }

  /// Tries changes until none has helped for long; false when the budget is spent, or that share of it.
  bool descend(Search& search, AimedNeighbors& neighbors, double end) {
    for (std::int64_t idle = 0; idle < parameters_.patience; idle += parameters_.batch) {
      const Score before = score_;
      if (search.share_spent() >= end || !step(search, neighbors)) return false;
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

  /// To the best known, unless this is as good.
  void go_back() {
    if (score_ <= base_score_) {
      base_score_ = score_;
      base_ = current_;
    }
    current_ = base_;
    score_ = base_score_;
  }

  static constexpr double kRace = 0.1;  // share of the budget of each of two plans
  static constexpr double kNoEnd = 2;   // more than all of the budget
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();  // anything is better

  LocalParameters parameters_;
  Decisions current_, base_;
  Score score_, base_score_;
};

const OptimizerKind local_kind = OptimizerKind::with_parameters<LocalSearch, LocalParameters>(
    "local", "local search that starts anew near its best plan");

}  // namespace
}  // namespace hone
