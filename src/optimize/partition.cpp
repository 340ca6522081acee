#include <algorithm>

#include "core/optimizer.h"
#include "optimize/load_annealing.h"

namespace hone {
namespace {

struct PartitionParameters {
  std::int64_t orders = 30;
  std::int64_t moves = 2000;
  std::int64_t patience = 12;

  Parameters list() {
    return Parameters()
        .add("orders", &orders, {1, 1e6}, "topological orders that are cut into intervals")
        .add("moves", &moves, {1, 1e9}, "moves a choice of device in a round of annealing")
        .add("patience", &patience, {1, 1e9}, "rounds without a better plan after which it ends");
  }
};

/// Cuts the graph into one piece a device: the best cut of several topological orders into intervals, annealed for the
/// largest load. The rounds of annealing begin at the best placement so far, at different temperatures.
class Partition final : public Optimizer {
 public:
  explicit Partition(const PartitionParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    const LoadGraph graph(search.problem());
    Rng rng = search.rng();
    Split best = first_split(graph, search, rng);
    try_split(graph, best, search);
    const auto choices = static_cast<std::uint64_t>(graph.size());
    AnnealingSchedule schedule{.moves = std::clamp<std::uint64_t>(
                                   static_cast<std::uint64_t>(parameters_.moves) * choices, 100'000, 1'000'000'000)};
    constexpr std::array<double, 4> kTemperatures = {0.05, 0.01, 0.2, 0.02};
    std::int64_t idle = 0;
    for (std::size_t round = 0; idle < parameters_.patience && !search.spent(); ++round, ++idle) {
      schedule.hot = kTemperatures[round % kTemperatures.size()];
      Split split = anneal_loads(graph, best, schedule, rng);
      if (split.value >= best.value) continue;
      best = std::move(split);
      try_split(graph, best, search);
      idle = -1;
    }
  }

  nlohmann::ordered_json parameters() override { return parameters_.list().json(); }

 private:
  Split first_split(const LoadGraph& graph, const Search& search, Rng& rng) const {
    Split best{.device_of = graph.device_of(search.best_plan()), .value = std::numeric_limits<double>::infinity()};
    for (std::int64_t i = 0; i < parameters_.orders && !search.spent(); ++i) {
      const auto order = order_choices(graph, static_cast<Next>(i % 3), rng);
      std::optional<Split> split = split_into_intervals(graph, order, SplitBy::largest_load);
      if (split && split->value < best.value) best = *std::move(split);
    }
    return best;
  }

  static void try_split(const LoadGraph& graph, const Split& split, Search& search) {
    search.evaluate(search.task().encode(graph.plan(search.best_plan(), split.device_of)));
  }

  PartitionParameters parameters_;
};

const OptimizerKind partition_kind = kind_with_parameters<Partition, PartitionParameters>(
    "partition", "a piece of the graph a device: cut orders, then annealing of loads");

}  // namespace
}  // namespace hone
