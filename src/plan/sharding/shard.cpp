// Problems of strategies with a limit on usage over time. First the problem is made smaller, then prices of usage are
// sought that make a lower bound great; labels that are good at these prices are a start for moves over forests under
// the limit itself.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/thread_pool.h"
#include "plan/search/optimizer.h"
#include "plan/sharding/forest_search.h"
#include "plan/sharding/min_plus.h"
#include "plan/sharding/price_ascent.h"

namespace hone {
namespace {

struct ShardParameters {
  std::int64_t walkers = 2;
  double relaxing = 0.35, work = 20;

  Parameters list() {
    return Parameters()
        .add("walkers", &walkers, {1, 256}, "searches side by side, each of which a thread can serve")
        .add("relaxing", &relaxing, {0, 1}, "share of the budget for prices and the bound, at most")
        .add("work", &work, {1e-3, 1e6}, "million cells of tables a walker looks at in one round");
  }
};

/// A choice within the limit, or the one that exceeds it least so far.
struct Found {
  LabelModel::Labels labels;
  double excess = kInfinity;
  double cost = kInfinity;

  bool is_better_than(const Found& other) const {
    return excess < other.excess || (excess == other.excess && cost < other.cost);
  }
};

Found found_by(const ForestSearch& search) {
  return {.labels = search.labels(), .excess = search.excess(), .cost = search.cost()};
}

/// What the search for prices leaves behind.
struct Relaxed {
  std::vector<double> prices, dues;
  std::vector<LabelModel::Labels> choices;  // good at some prices, within the limit or not
};

/// One of the searches side by side: stints at prices of usage between nothing and somewhat more than the best ones. A
/// stint goes on from the best choice or one that costs the same. When the last one has found nothing better it is led
/// astray at first: by random dues, or by a label that some variable must take, around which all others settle anew.
/// That crosses what no forest does, where many variables around cycles change together. Or it begins from a choice
/// left behind.
class Walker {
 public:
  Walker(const LabelModel& model, const Relaxed& relaxed, Rng rng)
      : model_(model), relaxed_(relaxed), search_(model, rng) {}

  const Found& best() const { return best_; }
  void start_from(const Found& found) {
    if (found.is_better_than(best_)) best_ = found;
  }

  void work(std::uint64_t amount) {
    for (const std::uint64_t end = search_.work() + amount; search_.work() < end; ++moves_) {
      if (moves_ == stint_.moves) begin_stint();
      if (moves_ == stint_.moves_astray) search_.set_dues(stint_.dues);
      move();
      if (search_.cost() < best_.cost || best_.excess > 0) keep();
    }
  }

 private:
  /// Some moves, of which the first are led astray.
  struct Stint {
    std::size_t moves = 0, moves_astray = 0;
    std::vector<double> dues = {};             // once it is no longer led astray
    std::optional<std::uint32_t> centre = {};  // the variable it stays near
  };

  static constexpr std::size_t kMoves = 500, kMovesAstray = 50;         // anywhere
  static constexpr std::size_t kMovesNear = 50, kMovesNearAstray = 20;  // near a variable
  static constexpr std::size_t kLargestForest = 2000;
  static constexpr double kAnew = 0.25, kNear = 0.9;  // shares of stints when stuck
  static constexpr double kFew = 500;                 // variables; the more there are, the less either leads to

  void move() {
    const double most = std::log(static_cast<double>(std::min(model_.size(), kLargestForest)));
    const std::size_t size = 2 + static_cast<std::size_t>(std::exp(search_.rng().uniform(0, most)));
    if (stint_.centre) search_.improve_near(*stint_.centre, size);
    else search_.improve_somewhere(size);
  }

  void begin_stint() {
    const bool is_stuck = best_.cost == cost_before_ && best_.excess == 0;
    cost_before_ = best_.cost;
    moves_ = 0;
    Rng& rng = search_.rng();
    const double scale = std::max(0.0, rng.uniform(-0.3, 1.2));
    const double few = std::min(1.0, kFew / static_cast<double>(model_.size()));
    const bool is_near = is_stuck && rng.uniform() < kNear * few;
    const bool is_anew = is_stuck && !is_near && !relaxed_.choices.empty() && rng.uniform() < kAnew * few;
    stint_ = {.moves = is_near ? kMovesNear : kMoves, .moves_astray = is_near ? kMovesNearAstray : kMovesAstray};
    stint_.dues = relaxed_.dues;
    for (double& due : stint_.dues) due *= scale;
    if (is_anew) search_.set_labels(relaxed_.choices[rng.below(relaxed_.choices.size())]);
    else if (search_.cost() > best_.cost || search_.excess() > best_.excess) search_.set_labels(best_.labels);
    if (search_.excess() > 0) search_.force_within_limit(relaxed_.prices);
    if (search_.excess() > best_.excess) search_.set_labels(best_.labels);
    if (!is_stuck) search_.set_dues(stint_.dues);
    else if (is_near) insist_on_a_label();
    else disturb();
  }

  /// Makes all labels a little dearer at random.
  void disturb() {
    Rng& rng = search_.rng();
    const double noise = std::pow(10.0, rng.uniform(-5, 0.5)) * best_.cost / static_cast<double>(model_.size());
    std::vector<double> astray = stint_.dues;
    for (double& due : astray) due += rng.uniform(0, noise);
    search_.set_dues(std::move(astray));
  }

  /// Makes all labels of a variable but one too dear.
  void insist_on_a_label() {
    Rng& rng = search_.rng();
    const auto variable = static_cast<std::uint32_t>(rng.below(model_.size()));
    const std::size_t label = rng.below(model_.labels(variable));
    std::vector<double> astray = stint_.dues;
    for (std::size_t k = 0; k < model_.labels(variable); ++k)
      if (k != label) astray[model_.place(variable) + k] += model_.forbidden();
    stint_.centre = variable;
    search_.set_dues(std::move(astray));
  }

  void keep() {
    const Found now = found_by(search_);
    if (now.is_better_than(best_)) best_ = now;
  }

  const LabelModel& model_;
  const Relaxed& relaxed_;
  ForestSearch search_;
  Stint stint_;
  Found best_;
  double cost_before_ = kInfinity;  // the best when the stint began
  std::size_t moves_ = 0;           // of the stint
};

/// One run on one problem.
class ShardRun {
 public:
  ShardRun(Search& search, const ShardParameters& chosen)
      : search_(search),
        chosen_(chosen),
        reduction_(*search.problem().sharding),
        model_(reduction_),
        pool_(search.threads()),
        prices_(model_) {}

  void run() {
    ForestSearch descent(model_, search_.rng().split(0));
    best_ = found_by(descent);
    relax(descent);
    const double bound = prices_.proven_bound();
    if (search_.problem().objective == Objective::seconds_in_memory) search_.prove(bound);
    relaxed_.prices = prices_.best_prices();
    relaxed_.dues = model_.dues(relaxed_.prices);
    walk();
  }

 private:
  static constexpr int kForestsAfterRounding = 2;
  static constexpr std::size_t kChoicesKept = 100;

  /// Lets the world see the best so far; every step of the work spends an evaluation.
  void show() {
    Plan plan = search_.best_plan();
    plan.strategy_of = model_.strategies(best_.labels);
    search_.evaluate(search_.task().encode(plan));
  }

  void keep(const Found& found) {
    if (found.is_better_than(best_)) best_ = found;
  }

  /// Keeps some of the choices that came by, the later ones rather.
  void remember(const LabelModel::Labels& labels) {
    if (relaxed_.choices.size() < kChoicesKept) relaxed_.choices.push_back(labels);
    else relaxed_.choices[next_choice_++ % kChoicesKept] = labels;
  }

  /// Prices and bound on one side, improving the choice rounded last on the other.
  void relax(ForestSearch& descent) {
    while (!search_.spent() && search_.share_spent() < chosen_.relaxing && !prices_.converged()) {
      descent.set_labels(prices_.rounded());
      descent.set_dues(prices_.dues());
      keep(found_by(descent));
      pool_.for_each(2, [&](std::size_t, std::size_t side) {
        if (side == 0) prices_.sweep();
        else
          for (int i = 0; i < kForestsAfterRounding; ++i) descent.improve_everywhere();
      });
      keep(found_by(descent));
      remember(descent.labels());
      prices_.step(descent.usage(), best_.excess > 0 ? kInfinity : best_.cost);
      show();
    }
  }

  void walk() {
    if (model_.size() == 0) return;
    std::vector<Walker> walkers;
    for (std::int64_t i = 1; i <= chosen_.walkers; ++i)
      walkers.emplace_back(model_, relaxed_, search_.rng().split(static_cast<std::uint64_t>(i)));
    const auto amount = static_cast<std::uint64_t>(chosen_.work * 1e6);
    while (!search_.spent()) {
      for (Walker& walker : walkers) walker.start_from(best_);
      pool_.for_each(walkers.size(), [&](std::size_t, std::size_t i) { walkers[i].work(amount); });
      for (const Walker& walker : walkers) keep(walker.best());
      show();
    }
  }

  Search& search_;
  const ShardParameters& chosen_;
  Reduction reduction_;
  LabelModel model_;
  ThreadPool pool_;
  PriceAscent prices_;
  Relaxed relaxed_;
  std::size_t next_choice_ = 0;
  Found best_;
};

class Shard final : public Optimizer {
 public:
  explicit Shard(const ShardParameters& chosen) : chosen_(chosen) {}

  void run(Search& search) override {
    if (search.problem().sharding && !search.task().sites().empty()) ShardRun(search, chosen_).run();
  }
  Parameters parameters() override { return chosen_.list(); }

 private:
  ShardParameters chosen_;
};

const OptimizerKind kind = OptimizerKind::with_parameters<Shard, ShardParameters>(
    "shard", "strategies of a sharding problem by prices, a lower bound and moves over forests");

}  // namespace
}  // namespace hone
