#include <algorithm>
#include <array>

#include "plan/methods/placement_annealing.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

struct PartitionParameters {
  std::int64_t orders = 60;
  std::int64_t moves = 1000;
  std::int64_t patience = 10;
  std::int64_t steps = 400;

  Parameters list() {
    return Parameters()
        .add("orders", &orders, {1, 1e6}, "topological orders that are cut into intervals")
        .add("moves", &moves, {1, 1e9}, "moves a choice of device in a round of annealing loads")
        .add("patience", &patience, {1, 1e9}, "rounds without a better plan after which it ends")
        .add("steps", &steps, {1, 1e9}, "evaluated moves a choice of device in a round of annealing latency");
  }
};

/// Cuts the graph into one piece a device: the best cut of several topological orders into intervals, then annealing.
/// For the throughput of a pipeline, and for want of something better for run time and memory, the largest load is made
/// small, which takes no evaluation; for latency the sum of loads is, and annealing evaluates every plan.
class Partition final : public Optimizer {
 public:
  explicit Partition(const PartitionParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    if (search.problem().workload.operation_count() == 0) return;
    const LoadGraph graph(search.problem());
    Rng rng = search.rng();
    if (search.problem().objective.lead() == Measure::latency) shorten(graph, search, rng);
    else balance(graph, search, rng);
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  void balance(const LoadGraph& graph, Search& search, Rng& rng) const {
    constexpr std::array<double, 4> kTemperatures = {0.05, 0.01, 0.2, 0.02};
    const auto moves = static_cast<std::uint64_t>(parameters_.moves) * graph.size();
    AnnealingSchedule schedule{.moves = std::clamp<std::uint64_t>(moves, 1000, 1'000'000'000)};
    Split best = cut_orders(graph, search, rng);
    std::int64_t idle = 0;
    for (std::size_t round = 0; idle < parameters_.patience && !search.spent(); ++round) {
      schedule.hot = kTemperatures[round % kTemperatures.size()];
      Split split = anneal_loads(graph, best, schedule, rng);
      const bool better = split.value < best.value;
      idle = better ? 0 : idle + 1;
      if (better) try_split(graph, best = std::move(split), search);
    }
  }

  void shorten(const LoadGraph& graph, Search& search, Rng& rng) const {
    cut_orders(graph, search, rng);
    PlacementAnnealing annealing{.patience = parameters_.patience};
    annealing.schedule = {.moves = static_cast<std::uint64_t>(parameters_.steps) * graph.size() / annealing.walkers + 1,
                          .hot = 0.01,
                          .cold = 1e-4};
    annealing.run(graph, search, rng);
  }

  /// Has the best cut of every order evaluated; returns the one of the least value.
  Split cut_orders(const LoadGraph& graph, Search& search, Rng& rng) const {
    const bool sequential = search.problem().objective.lead() == Measure::latency;
    Split best{.device_of = graph.device_of(search.best_plan()), .value = std::numeric_limits<double>::infinity()};
    for (std::int64_t i = 0; i < parameters_.orders && !search.spent(); ++i) {
      const auto order = order_choices(graph, static_cast<Next>(i % 3), rng);
      std::optional<Split> split =
          split_into_intervals(graph, order, sequential ? SplitBy::sum_of_loads : SplitBy::largest_load);
      if (!split) continue;
      try_split(graph, *split, search);
      if (split->value < best.value) best = *std::move(split);
    }
    return best;
  }

  static void try_split(const LoadGraph& graph, const Split& split, Search& search) {
    search.evaluate(search.task().encode(graph.plan(search.best_plan(), split.device_of)));
  }

  PartitionParameters parameters_;
};

const OptimizerKind partition_kind = OptimizerKind::with_parameters<Partition, PartitionParameters>(
    "partition", "a piece of the graph a device: cut orders, then annealing of loads");

}  // namespace
}  // namespace hone
