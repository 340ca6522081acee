// Problems of strategies with a limit on usage over time. First the problem is made smaller, then prices of usage are
// sought that make a lower bound great; labels that are good at these prices are a start for moves over forests under
// the limit itself.

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/thread_pool.h"
#include "core/optimizer.h"
#include "sharding/forest_search.h"
#include "sharding/price_ascent.h"

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ShardParameters {
  std::int64_t walkers = 2;
  double relaxing = 0.35;

  Parameters list() {
    return Parameters()
        .add("walkers", &walkers, {1, 256}, "searches side by side, each of which a thread can serve")
        .add("relaxing", &relaxing, {0, 1}, "share of the budget for prices and the bound, at most");
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

/// One of the searches side by side: stints at prices of usage between nothing and somewhat more than the best ones,
/// each from the best choice or, sometimes, from where the last one ended.
class Walker {
 public:
  Walker(const LabelModel& model, Rng rng, std::vector<double> dues)
      : model_(model), search_(model, rng), dues_(std::move(dues)) {}

  const Found& best() const { return best_; }
  void start_from(const Found& found) {
    if (found.is_better_than(best_)) best_ = found;
  }

  void work(std::uint64_t amount) {
    const std::uint64_t end = search_.work() + amount;
    while (search_.work() < end) {
      if (moves_++ % kMovesOfStint == 0) begin_stint();
      const double most = std::log(static_cast<double>(std::min(model_.size(), kLargestForest)));
      search_.improve_somewhere(2 + static_cast<std::size_t>(std::exp(search_.rng().uniform(0, most))));
      if (search_.cost() < best_.cost || best_.excess > 0) keep();
    }
  }

 private:
  static constexpr std::size_t kMovesOfStint = 500;
  static constexpr std::size_t kLargestForest = 2000;

  void begin_stint() {
    if (moves_ == 1 || search_.cost() > best_.cost) search_.set_labels(best_.labels);
    const double scale = std::max(0.0, search_.rng().uniform(-0.3, 1.2));
    std::vector<double> dues = dues_;
    for (double& due : dues) due *= scale;
    search_.set_dues(std::move(dues));
  }

  void keep() {
    const Found now = found_by(search_);
    if (now.is_better_than(best_)) best_ = now;
  }

  const LabelModel& model_;
  ForestSearch search_;
  std::vector<double> dues_;
  Found best_;
  std::size_t moves_ = 0;
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
    best_ = {.labels = LabelModel::Labels(model_.size(), 0)};
    relax();
    const double bound = prices_.settle();
    if (search_.problem().objective == Objective::seconds_in_memory) search_.prove(bound);
    if (best_.excess > 0) force();
    walk();
  }

 private:
  static constexpr std::uint64_t kWorkOfRound = 20'000'000;
  static constexpr int kForestsAfterRounding = 2;

  /// Lets the world see the best so far; every step of the work spends an evaluation.
  void show() {
    Plan plan = search_.best_plan();
    plan.strategy_of = model_.strategies(best_.labels);
    search_.evaluate(search_.task().encode(plan));
  }

  void keep(const Found& found) {
    if (found.is_better_than(best_)) best_ = found;
  }

  /// Prices and bound on one side, improving the choice rounded last on the other.
  void relax() {
    ForestSearch descent(model_, search_.rng().split(0));
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
      prices_.step(descent.usage(), best_.excess > 0 ? kInfinity : best_.cost);
      show();
    }
  }

  /// Makes usage dearer and dearer where there is too much until the limit is kept.
  void force() {
    constexpr int kMostSteps = 200;
    ForestSearch descent(model_, search_.rng().split(1));
    descent.set_labels(prices_.rounded());
    std::vector<double> prices = prices_.best_prices();
    double dear = 0;
    for (const double price : prices) dear = std::max(dear, price);
    if (dear == 0) dear = model_.forbidden() * 1e-9;
    for (int i = 0; i < kMostSteps && best_.excess > 0 && !search_.spent(); ++i) {
      for (std::size_t t = 0; t < prices.size(); ++t)
        if (descent.usage()[t] > model_.capacity()[t]) prices[t] = 1.5 * prices[t] + 0.1 * dear;
      descent.set_dues(model_.dues(prices));
      for (int k = 0; k < kForestsAfterRounding; ++k) descent.improve_everywhere();
      keep(found_by(descent));
      show();
    }
  }

  void walk() {
    if (model_.size() == 0) return;
    std::vector<Walker> walkers;
    for (std::int64_t i = 0; i < chosen_.walkers; ++i)
      walkers.emplace_back(model_, search_.rng().split(2 + static_cast<std::uint64_t>(i)),
                           model_.dues(prices_.best_prices()));
    while (!search_.spent()) {
      for (Walker& walker : walkers) walker.start_from(best_);
      pool_.for_each(walkers.size(), [&](std::size_t, std::size_t i) { walkers[i].work(kWorkOfRound); });
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
  Found best_;
};

class Shard final : public Optimizer {
 public:
  explicit Shard(const ShardParameters& chosen) : chosen_(chosen) {}

  void run(Search& search) override {
    if (search.problem().sharding && !search.task().sites().empty()) ShardRun(search, chosen_).run();
  }
  nlohmann::ordered_json parameters() override { return chosen_.list().json(); }

 private:
  ShardParameters chosen_;
};

const OptimizerKind kind = kind_with_parameters<Shard, ShardParameters>(
    "shard", "strategies of a sharding problem by prices, a lower bound and moves over forests");

}  // namespace
}  // namespace hone
