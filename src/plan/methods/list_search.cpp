// Search over priorities alone: a list schedule says where everything runs. Each schedule is improved by going through
// it backward and forward: Tormos and Lova, "A competitive heuristic solution technique for resource-constrained
// project scheduling", 2001.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/methods/list_heuristic.h"
#include "plan/methods/reversed_schedule.h"

namespace hone {
namespace {

struct ListSearchParameters {
  std::int64_t patience = 1'000'000'000;
  std::int64_t passes = 3;
  double anew = 0.1;
  double worse = 0.01;

  Parameters list() {
    return Parameters()
        .add("patience", &patience, {1, 1e9}, "evaluations without a better plan after which it ends")
        .add("passes", &passes, {0, 100}, "times a schedule is made again backward and forward at most")
        .add("anew", &anew, {0, 1}, "chance that a try begins with the longest paths and not with the last plan")
        .add("worse", &worse, {0, 1}, "chance that a worse plan is gone on from");
  }
};

/// Turns keys into schedules.
class Decoder {
 public:
  Decoder(const Durations& durations, std::int64_t passes)
      : schedules_(2, PartialSchedule(durations, PartialSchedule::Gaps::filled, memory_limits(durations.problem()))),
        reversed_(durations),
        passes_(passes) {}

  /// A plan, and the keys that lead to it without passes.
  struct Result {
    Plan plan;
    std::vector<double> keys;
  };
  Result decode(std::vector<double> keys, const Plan& start) {
    PartialSchedule *best = &schedules_[0], *next = &schedules_[1];
    double shortest = fill(*best, order_by_key(best->durations(), keys));
    for (std::int64_t pass = 0; pass < passes_; ++pass) {
      const std::vector<OperationId> order = justified_order(*best);
      const double end = fill(*next, order);
      if (end > shortest) break;
      std::swap(best, next);
      for (std::size_t rank = 0; rank < order.size(); ++rank) keys[order[rank].index()] = -static_cast<double>(rank);
      if (end == shortest) break;
      shortest = end;
    }
    return {best->apply_to(start), std::move(keys)};
  }

 private:
  static double fill(PartialSchedule& schedule, std::span<const OperationId> order) {
    schedule.clear();
    double end = 0;
    for (const OperationId operation : order) {
      schedule.place(operation, schedule.earliest_finish(operation));
      end = std::max(end, schedule.finish(operation));
    }
    return end;
  }

  /// The order of starts when everything is put as late as it can be, what finishes last first. What is read is placed
  /// before its readers, which settles ties.
  std::vector<OperationId> justified_order(const PartialSchedule& schedule) {
    std::vector<OperationId> order(schedule.placed().rbegin(), schedule.placed().rend());
    std::ranges::stable_sort(order, std::greater(), [&](OperationId operation) { return schedule.finish(operation); });
    reversed_.fill(order);
    std::ranges::reverse(order);
    std::ranges::stable_sort(order, std::greater(),
                             [&](OperationId operation) { return reversed_.seconds_to_the_end(operation); });
    return order;
  }

  std::vector<PartialSchedule> schedules_;
  ReversedSchedule reversed_;
  std::int64_t passes_;
};

class ListSearch final : public Optimizer {
 public:
  explicit ListSearch(const ListSearchParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    const Durations durations(search.problem());
    Decoder decoder(durations, parameters_.passes);
    Rng rng = search.rng();
    paths_ = seconds_to_the_end(durations, TransfersOnPath::averaged);
    current_ = {paths_, {kNever, kNever}};
    bool goes_on = try_all(search, decoder, first_tries(search, durations), rng);
    for (Score best = search.best(); goes_on && idle_ < parameters_.patience; best = search.best()) {
      std::vector<std::vector<double>> tries(kBatch);
      for (std::vector<double>& keys : tries) keys = neighbour(rng);
      goes_on = try_all(search, decoder, std::move(tries), rng);
      idle_ = search.best() < best ? 0 : idle_ + static_cast<std::int64_t>(kBatch);
    }
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  /// So many tries have the same origin, so that threads have something to share.
  static constexpr std::size_t kBatch = 8;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Point {
    std::vector<double> keys;
    Score score;
  };

  /// What list heuristics go by, and the order of the best plan so far.
  std::vector<std::vector<double>> first_tries(const Search& search, const Durations& durations) const {
    std::vector<std::vector<double>> tries = {paths_, seconds_to_the_end(durations, TransfersOnPath::ignored),
                                              seconds_held_up(durations)};
    const std::vector<float> priority = by_operation(search.best_plan(), search.problem().workload).priority;
    if (!priority.empty()) tries.emplace_back(priority.begin(), priority.end());
    return tries;
  }

  /// False when the budget is spent.
  bool try_all(Search& search, Decoder& decoder, std::vector<std::vector<double>> tries, Rng& rng) {
    Decisions rows;
    for (std::vector<double>& keys : tries) {
      Decoder::Result result = decoder.decode(std::move(keys), search.start());
      const Decisions row = search.task().encode(result.plan);
      rows.insert(rows.end(), row.begin(), row.end());
      keys = std::move(result.keys);
    }
    const std::span<const Cost> costs = search.evaluate(rows);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Score score = search.score(costs[i]);
      if (score <= current_.score || rng.uniform() < parameters_.worse) current_ = {std::move(tries[i]), score};
    }
    return costs.size() == tries.size() && !search.spent();
  }

  /// Some operations move up or down the list, a few of them far or many a little.
  std::vector<double> neighbour(Rng& rng) const {
    std::vector<double> keys = rng.uniform() < parameters_.anew ? paths_ : current_.keys;
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t operation) { return keys[operation]; });
    const double reach = 0.25 * static_cast<double>(keys.size()) * std::pow(rng.uniform(), 2);
    const double share = rng.uniform();
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      keys[order[rank]] = -static_cast<double>(rank);
      if (rng.uniform() < share) keys[order[rank]] += rng.uniform(-reach, reach);
    }
    return keys;
  }

  ListSearchParameters parameters_;
  std::vector<double> paths_;
  Point current_;
  std::int64_t idle_ = 0;
};

const OptimizerKind list_search_kind = OptimizerKind::with_parameters<ListSearch, ListSearchParameters>(
    "list-search", "list schedules of ever better orders");

}  // namespace
}  // namespace hone
