// Search for plans of little memory on several devices.

#include <algorithm>
#include <cmath>
#include <list>

#include "plan/methods/cut_order.h"
#include "plan/methods/memory_constructor.h"
#include "plan/methods/memory_descent.h"
#include "plan/methods/operation_orders.h"
#include "plan/methods/plan_order.h"
#include "plan/methods/stage_search.h"
#include "plan/methods/waiting_start.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

constexpr double kToTheEnd = 2;  // more than all of the budget

struct MemorySearchParameters {
  double construct = 0.02;
  double stages = 0.2;
  std::int64_t cuts = 40;
  double race = 0.5;
  double until = kToTheEnd;
  std::int64_t needed = 0;
  MemoryDescentParameters descent;

  Parameters list() {
    Parameters list;
    list.add("construct", &construct, {0, 1},
             "share of the budget for plans made anew from other orders and preferences")
        .add("stages", &stages, {0, 1}, "share of the budget for plans of stages, at most")
        .add("cuts", &cuts, {0, 1e6}, "plans of stages that are made again with other shares, at most")
        .add("race", &race, {0, 1}, "share of the budget after which one of all plans that it went on from is left")
        .add("until", &until, {0, kToTheEnd}, "share of the budget after which it ends")
        .add("needed", &needed, {0, 1}, "1: does nothing where a plan fits already; 0: searches in any case");
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
        start_(waiting_start(search)),
        rng_(search.rng()) {}

  void run() {
    Plan start = by_operation(search_.best_plan(), workload_);
    start.waiting = start_.waiting;
    const std::vector<OperationId> given = order_of(memory_, workload_, start);
    const std::vector<OperationId> cut = order_by_cuts(memory_, given, CutSide::fewest_before, 0);
    std::vector<EvaluatedRow> together;
    for (const auto& order : {given, cut}) {
      together.push_back(evaluated(in_order(start, order)));
      construct({keys_of(order), {}});
    }
    for (const OperationOrderRule& rule : operation_order_rules()) construct({keys_of(rule.make(memory_)), {}});
    while (search_.share_spent() < parameters_.construct) construct(neighbour());
    const EvaluatedRow staged = best_of_stages(given, cut);
    made_ = without_waiting(std::move(made_));
    if (search_.spent() || search_.task().decides_groups()) return;
    race(starts_of_race(staged, std::move(together)));
  }

 private:
  /// Whether a plan has most operations on one device or not.
  enum class Kind : std::uint8_t { together, apart };
  /// A plan to go on from, and the share of operations moved at once at first.
  struct Start {
    EvaluatedRow at;
    Kind kind = Kind::apart;
    double share = 0;
  };
  struct Runner {
    Kind kind = Kind::apart;
    MemoryDescent descent;
  };

  EvaluatedRow evaluated(const Plan& plan) {
    EvaluatedRow point{.row = search_.task().encode(plan), .cost = {}};
    const std::span<const Cost> costs = search_.evaluate(point.row);
    if (!costs.empty()) point.cost = costs.front();
    return point;
  }

  /// The same with devices that never wait, if that is better, as it now and then is where there are many of them.
  EvaluatedRow without_waiting(EvaluatedRow point) {
    if (point.row.empty() || start_.waiting == Waiting::never) return point;
    Plan plan = start_;
    search_.task().apply(point.row, plan);
    plan.waiting = Waiting::never;
    EvaluatedRow other = evaluated(plan);
    if (search_.spent()) return point;
    return score_of(other) < score_of(point) ? other : point;
  }

  Score score_of(const EvaluatedRow& point) const {
    return score_by(search_.problem().objective, point.cost, DescentObjective::smooth_peak);
  }

  /// Of all ways to put operations in a line those that one graph or another is best with.
  EvaluatedRow best_of_stages(const std::vector<OperationId>& given, const std::vector<OperationId>& cut) {
    constexpr ItemPull kAtPeak{.always = 0.1, .at_peak = 1}, kByLife{.always = 0.1, .life = 1}, kAlways{.always = 1};
    const StageLines lines(durations_, items_, memory_);
    StageSearch stages(search_, lines, start_);
    const double until = search_.share_spent() + parameters_.stages;
    std::vector<Waiting> ways = {start_.waiting};
    if (start_.waiting != Waiting::never) ways.push_back(Waiting::never);
    const auto add = [&](const std::vector<OperationId>& order, const std::optional<ItemPull>& pull) {
      if (search_.share_spent() >= until) return;
      const StageLine line = pull ? lines.by_items(order, *pull) : lines.along(order);
      for (const Waiting waiting : ways) stages.add(line, waiting);
    };
    add(cut, kAtPeak);
    add(given, std::nullopt);
    add(given, kAtPeak);
    ways.resize(1);  // more lines are worth more than seeing both of each
    add(cut, kByLife);
    add(given, kByLife);
    add(cut, std::nullopt);
    add(given, kAlways);
    add(cut, kAlways);
    stages.refine(until, static_cast<std::uint64_t>(parameters_.cuts));
    return stages.best();
  }

  /// Plans to go on from, those first that a short race should not be without.
  std::vector<Start> starts_of_race(const EvaluatedRow& staged, std::vector<EvaluatedRow> together) const {
    const auto by_score = [&](const EvaluatedRow& row) { return score_of(row); };
    std::vector<EvaluatedRow> apart;
    for (const EvaluatedRow& row : {staged, made_})
      if (!row.row.empty()) apart.push_back(row);
    std::ranges::sort(apart, {}, by_score);
    std::ranges::sort(together, {}, by_score);
    std::vector<Start> starts;
    for (std::size_t i = 0; i < 2; ++i) {
      if (i < apart.size()) starts.push_back({apart[i], Kind::apart, kCarefully});
      starts.push_back({together[i], Kind::together, kBoldly});
    }
    for (const EvaluatedRow& row : together) starts.push_back({row, Kind::together, kCarefully});
    starts.resize(std::min(starts.size(), affordable_runners()));
    return starts;
  }

  /// How many can take all their turns before the race has to end.
  std::size_t affordable_runners() const {
    constexpr std::size_t kMany = 100;
    const double all = static_cast<double>(search_.evaluations()) / std::max(1e-9, search_.share_spent());
    const double left = std::max(0.0, parameters_.race - search_.share_spent()) * all;
    const double steps = left / static_cast<double>(parameters_.descent.batch + 1);
    std::size_t count = 2;
    while (count < kMany && static_cast<double>((count + 1) * (count + 2) / 2 - 1) <= steps) ++count;
    return count;
  }

  /// Goes on from all plans for a while, then from all but one, and in the end from the best.
  void race(std::vector<Start> starts) {
    for (Start& start : starts) {
      runners_.push_back({start.kind, {search_, durations_, moves_, parameters_.descent, runners_.size()}});
      runners_.back().descent.begin_boldly(start.share);
      runners_.back().descent.begin_at(std::move(start.at.row), start.at.cost);
    }
    const double left = std::max(0.0, parameters_.race - search_.share_spent());
    const double round = left / static_cast<double>(runners_.size() - 1);
    for (; runners_.size() > 1; drop_one()) {
      const double turn = round / static_cast<double>(runners_.size());
      for (Runner& runner : runners_) runner.descent.run(search_.share_spent() + turn);
    }
    runners_.front().descent.run(parameters_.until);
  }

  /// The worst of the kind of which more are left: plans that leave most devices empty are far behind at first and
  /// often ahead later.
  void drop_one() {
    const auto apart = std::ranges::count(runners_, Kind::apart, &Runner::kind);
    const auto together = static_cast<std::ptrdiff_t>(runners_.size()) - apart;
    const auto worst = std::ranges::max_element(runners_, {}, [&](const Runner& runner) {
      const bool has_more = apart == together || (runner.kind == Kind::apart) == (apart > together);
      return std::pair(has_more, runner.descent.score());
    });
    runners_.erase(worst);
  }

  /// Makes a plan; the best is kept, with what it was made from.
  void construct(MemoryGuidance guidance) {
    if (search_.spent()) return;
    EvaluatedRow point = evaluated(constructor_.construct(guidance, start_));
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
  Plan start_;  // whose groups, transfers and, mostly, waiting all plans have
  Rng rng_;
  EvaluatedRow made_;        // the best plan that was constructed
  MemoryGuidance guidance_;  // what it was made from
  std::list<Runner> runners_;
};

/// Makes plans from orders and preferences, and goes on from the best of them and from what was there.
class MemorySearch final : public Optimizer {
 public:
  explicit MemorySearch(const MemorySearchParameters& parameters) : parameters_(parameters) {}

  Parameters parameters() override { return parameters_.list(); }

  void run(Search& search) override {
    if (search.task().sites().empty() || search.problem().workload.operation_count() == 0) return;
    const bool fits = search.problem().objective.limits_memory() && search.best().excess == 0;
    if (parameters_.needed == 1 && fits) return;
    MemoryRun(search, parameters_).run();
  }

 private:
  MemorySearchParameters parameters_;
};

const OptimizerKind memory_search_kind = OptimizerKind::with_parameters<MemorySearch, MemorySearchParameters>(
    "memory-search", "plans of little memory, made by orders and changed around their peaks");

}  // namespace
}  // namespace hone
