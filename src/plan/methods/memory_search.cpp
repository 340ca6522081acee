// Search for plans of little memory on several devices.

#include <algorithm>
#include <cmath>
#include <list>

#include "plan/methods/cut_order.h"
#include "plan/methods/memory_constructor.h"
#include "plan/methods/memory_descent.h"
#include "plan/methods/operation_orders.h"
#include "plan/methods/plan_order.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

struct MemorySearchParameters {
  double construct = 0.02;
  double race = 0.5;
  MemoryDescentParameters descent;

  Parameters list() {
    Parameters list;
    list.add("construct", &construct, {0, 1},
             "share of the budget for plans made anew from other orders and preferences")
        .add("race", &race, {0, 1}, "share of the budget after which one of all plans that it went on from is left");
    descent.add_to(list);
    return list;
  }
};

std::vector<float> keys_of(std::span<const OperationId> order) {
  std::vector<float> keys(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) keys[order[rank].index()] = -static_cast<float>(rank);
  return keys;
}

/// One run of the search: what it works in, and its steps.
class MemoryRun {
 public:
  MemoryRun(Search& search, const MemorySearchParameters& parameters)
      : search_(search),
        parameters_(parameters),
        workload_(search.problem().workload),
        memory_(workload_),
        items_(workload_),
        durations_(search.problem()),
        levels_(items_, workload_.operation_count(), search.problem().machine.device_count()),
        constructor_(durations_, levels_),
        moves_(durations_, items_, levels_),
        rng_(search.rng()) {}

  void run() {
    const Plan start = by_operation(search_.best_plan(), workload_);
    const std::vector<OperationId> given = order_of(memory_, workload_, start);
    const std::vector<OperationId> cut = order_by_cuts(memory_, given, CutSide::fewest_before, 0);
    for (const auto& order : {given, cut}) {
      const Point there = evaluated(in_order(start, order));
      add_runner(there, kCarefully);
      add_runner(there, kBoldly);
      construct({keys_of(order), {}});
    }
    for (const OperationOrderRule& rule : operation_order_rules()) construct({keys_of(rule.make(memory_)), {}});
    while (search_.share_spent() < parameters_.construct) construct(neighbour());
    if (search_.spent() || search_.task().decides_groups()) return;
    add_runner(std::move(made_), kCarefully);
    race();
  }

 private:
  /// Decisions and what they cost.
  struct Point {
    Decisions row;
    Cost cost;
  };

  Point evaluated(const Plan& plan) {
    Point point{.row = search_.task().encode(plan), .cost = {}};
    const std::span<const Cost> costs = search_.evaluate(point.row);
    if (!costs.empty()) point.cost = costs.front();
    return point;
  }

  Score score_of(const Point& point) const {
    return score_by(search_.problem().objective, point.cost, DescentObjective::smooth_peak);
  }

  void add_runner(Point point, double share) {
    runners_.emplace_back(search_, durations_, moves_, parameters_.descent, runners_.size());
    runners_.back().begin_boldly(share);
    runners_.back().begin_at(std::move(point.row), point.cost);
  }

  /// Makes a plan; the best is kept, with what it was made from.
  void construct(MemoryGuidance guidance) {
    if (search_.spent()) return;
    Point point = evaluated(constructor_.construct(guidance, by_operation(search_.start(), workload_)));
    if (!made_.row.empty() && score_of(made_) < score_of(point)) return;
    made_ = std::move(point);
    guidance_ = std::move(guidance);
  }

  /// Guidance like that of the best plan made so far: some operations move up or down the order, or a stretch of the
  /// order likes a device better.
  MemoryGuidance neighbour() {
    MemoryGuidance guidance = guidance_;
    const auto count = static_cast<double>(guidance.keys.size());
    if (rng_.uniform() < 0.5) {
      const double reach = 0.25 * count * std::pow(rng_.uniform(), 2), share = rng_.uniform();
      for (float& key : guidance.keys)
        if (rng_.uniform() < share) key += static_cast<float>(rng_.uniform(-reach, reach));
      return guidance;
    }
    const std::size_t devices = search_.problem().machine.device_count();
    guidance.preference.resize(guidance.keys.size() * devices);
    const double length = count * std::pow(rng_.uniform(), 2), first = rng_.uniform(-length, count);
    const std::size_t device = rng_.below(devices);
    const auto liking = static_cast<float>(rng_.uniform());
    for (std::size_t i = 0; i < guidance.keys.size(); ++i)
      if (-guidance.keys[i] >= first && -guidance.keys[i] < first + length)
        guidance.preference[i * devices + device] += liking;
    return guidance;
  }

  /// Goes on from all plans for a while, then from all but the worst, and in the end from the best.
  void race() {
    const double left = std::max(0.0, parameters_.race - search_.share_spent());
    const double round = left / static_cast<double>(runners_.size() - 1);
    for (; runners_.size() > 1; runners_.erase(std::ranges::max_element(runners_, {}, &MemoryDescent::score))) {
      const double turn = round / static_cast<double>(runners_.size());
      for (MemoryDescent& runner : runners_) runner.run(search_.share_spent() + turn);
    }
    runners_.front().run(kToTheEnd);
  }

  static constexpr double kToTheEnd = 2;                       // more than all of the budget
  static constexpr double kCarefully = 0.002, kBoldly = 0.02;  // share of operations moved at once at first

  Search& search_;
  const MemorySearchParameters& parameters_;
  const Workload& workload_;
  OrderMemory memory_;
  MemoryItems items_;
  Durations durations_;
  HeldLevels levels_;
  MemoryConstructor constructor_;
  MemoryMoves moves_;
  Rng rng_;
  Point made_;               // the best plan that was constructed
  MemoryGuidance guidance_;  // what it was made from
  std::list<MemoryDescent> runners_;
};

/// Makes plans from orders and preferences, and goes on from the best of them and from what was there.
class MemorySearch final : public Optimizer {
 public:
  explicit MemorySearch(const MemorySearchParameters& parameters) : parameters_(parameters) {}

  Parameters parameters() override { return parameters_.list(); }

  void run(Search& search) override {
    if (search.task().sites().empty() || search.problem().workload.operation_count() == 0) return;
    MemoryRun(search, parameters_).run();
  }

 private:
  MemorySearchParameters parameters_;
};

const OptimizerKind memory_search_kind = OptimizerKind::with_parameters<MemorySearch, MemorySearchParameters>(
    "memory-search", "plans of little memory, made by orders and changed around their peaks");

}  // namespace
}  // namespace hone
