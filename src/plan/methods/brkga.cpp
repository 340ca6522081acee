#include "plan/methods/brkga.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace hone {
namespace {

std::size_t share(double part, std::size_t whole) {
  return static_cast<std::size_t>(std::lround(part * static_cast<double>(whole)));
}

PopulationShape shape_of(const BrkgaParameters& parameters) {
  PopulationShape shape;
  shape.members = std::max<std::size_t>(4, static_cast<std::size_t>(parameters.population / parameters.islands));
  shape.elites = std::max<std::size_t>(1, share(parameters.elite, shape.members));
  shape.mutants = std::min(share(parameters.mutants, shape.members), shape.members - shape.elites);
  shape.mating = {.parents = static_cast<std::size_t>(parameters.parents),
                  .elite = static_cast<std::size_t>(parameters.elite_parents),
                  .bias = parameters.bias};
  return shape;
}

/// The islands of one run, which live through generations together.
class Archipelago {
 public:
  Archipelago(Search& search, std::vector<Population> islands) : search_(search), islands_(std::move(islands)) {}

  /// False when the budget is spent; so with `advance`.
  bool begin(std::span<const float> start, double near) {
    for (Population& island : islands_) island.begin(start, share(near, island.fresh_count()));
    return judge();
  }
  bool advance() {
    for (Population& island : islands_) island.advance();
    return judge();
  }
  /// The best of every island goes to the next one.
  void migrate() {
    for (std::size_t i = 0; islands_.size() > 1 && i < islands_.size(); ++i)
      islands_[(i + 1) % islands_.size()].welcome(islands_[i]);
  }
  Score best() const {
    return std::ranges::min_element(islands_, {}, [](const Population& island) { return island.best(); })->best();
  }

 private:
  bool judge() {
    for (Population& island : islands_) {
      const std::span<const Cost> costs = search_.evaluate(island.fresh());
      if (costs.size() < island.fresh_count()) return false;
      island.take(costs, search_);
    }
    return true;
  }

  Search& search_;
  std::vector<Population> islands_;
};

}  // namespace

Brkga::Brkga(const BrkgaParameters& parameters, GeneGuidance guidance)
    : parameters_(parameters), guidance_(std::move(guidance)) {
  if (parameters.elite_parents >= parameters.parents)
    fail_usage("brkga: elite_parents={} leaves no other parent of parents={}", parameters.elite_parents,
               parameters.parents);
}

std::vector<Population> Brkga::make_islands(const Search& search) const {
  const std::vector<Site>& sites = search.task().sites();
  const PopulationShape shape = shape_of(parameters_);
  std::vector<Population> islands;
  for (std::int64_t i = 0; i < parameters_.islands; ++i) {
    const Rng rng = i == 0 ? search.rng() : search.rng().split(static_cast<std::uint64_t>(i));
    islands.emplace_back(shape, sites, GeneSource(sites.size(), shape.mating, guidance_, rng));
  }
  return islands;
}

void Brkga::run(Search& search) {
  if (search.task().sites().empty()) return;
  Archipelago archipelago(search, make_islands(search));
  const Decisions start = search.task().encode(search.best_plan());
  for (bool on = archipelago.begin(start, parameters_.near); on; on = archipelago.begin({}, 0)) {
    Score best = archipelago.best();
    std::int64_t generation = 0;
    for (std::int64_t idle = 0; idle < parameters_.restart; ++idle) {
      if (search.share_spent() >= parameters_.until || !archipelago.advance()) return;
      if (++generation % parameters_.migrate == 0) archipelago.migrate();
      if (archipelago.best() < best) idle = 0;
      best = archipelago.best();
    }
  }
}

namespace {
const OptimizerKind brkga_kind =
    OptimizerKind::with_parameters<Brkga, BrkgaParameters>("brkga", "biased random-key genetic algorithm");
}  // namespace

}  // namespace hone
