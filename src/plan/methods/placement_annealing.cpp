#include "plan/methods/placement_annealing.h"

#include <algorithm>
#include <cmath>

#include "plan/methods/placement_moves.h"

namespace hone {
namespace {

constexpr int kMostTries = 100;  // most draws come to something

/// One placement on its way.
struct Walker {
  std::vector<std::uint32_t> device_of;
  std::vector<PlacementMoves::Change> changes;  // to be judged
  double energy = 0;
};

class Round {
 public:
  Round(const LoadGraph& graph, Search& search, Rng& rng)
      : graph_(graph), search_(search), rng_(rng), moves_(graph, targets_of(graph, search)) {
    double room = 0;
    for (const double capacity : graph.capacity_bytes)
      if (std::isfinite(capacity)) room = std::max(room, capacity);
    // A device full twice over is as bad as a value six times as large.
    value_per_byte_ = room > 0 ? 5 * search.best().value / room : 0;
  }

  /// False when the budget is spent.
  bool run(const PlacementAnnealing& settings, double hot) {
    const double cooling = std::log(settings.schedule.cold / hot);
    const auto moves = static_cast<double>(settings.schedule.moves);
    walkers_.assign(settings.walkers,
                    {.device_of = graph_.device_of(search_.best_plan()), .energy = energy(search_.best())});
    for (std::uint64_t move = 0; move < settings.schedule.moves; ++move) {
      propose();
      const std::span<const Cost> costs = search_.evaluate(rows_);
      if (costs.size() < walkers_.size()) return false;
      const double temperature = search_.best().value * hot * std::exp(cooling * static_cast<double>(move) / moves);
      for (std::size_t i = 0; i < walkers_.size(); ++i) judge(walkers_[i], costs[i], temperature);
    }
    return true;
  }

 private:
  static std::vector<std::uint32_t> targets_of(const LoadGraph& graph, const Search& search) {
    return graph.device_list(search.problem().objective == Objective::latency ? LoadGraph::Hosts::one
                                                                              : LoadGraph::Hosts::all);
  }
  double energy(const Score& score) const { return score.value + value_per_byte_ * score.excess; }

  void propose() {
    rows_.clear();
    for (Walker& walker : walkers_) {
      walker.changes.clear();
      for (int tries = 0; tries < kMostTries && walker.changes.empty(); ++tries) {
        const auto changes = moves_.propose(walker.device_of, rng_);
        walker.changes.assign(changes.begin(), changes.end());
      }
      for (const PlacementMoves::Change& change : walker.changes) walker.device_of[change.choice] = change.to;
      const Decisions row = search_.task().encode(graph_.plan(search_.best_plan(), walker.device_of));
      rows_.insert(rows_.end(), row.begin(), row.end());
    }
  }

  void judge(Walker& walker, const Cost& cost, double temperature) {
    const double after = energy(search_.score(cost));
    if (after <= walker.energy || rng_.uniform() < std::exp((walker.energy - after) / temperature)) {
      walker.energy = after;
      return;
    }
    for (auto change = walker.changes.rbegin(); change != walker.changes.rend(); ++change)
      walker.device_of[change->choice] = change->from;
  }

  const LoadGraph& graph_;
  Search& search_;
  Rng& rng_;
  PlacementMoves moves_;
  std::vector<Walker> walkers_;
  Decisions rows_;
  double value_per_byte_ = 0;
};

/// Whether any choice could run elsewhere.
bool can_move(const LoadGraph& graph) {
  for (std::size_t choice = 0; choice < graph.size(); ++choice)
    if (graph.choices.devices(choice).size() > 1) return true;
  return false;
}

}  // namespace

void PlacementAnnealing::run(const LoadGraph& graph, Search& search, Rng& rng) const {
  constexpr std::array<double, 3> kTemperatures = {1, 0.2, 4};  // of the schedule's
  if (!can_move(graph) || search.task().sites().empty()) return;
  std::int64_t idle = 0;
  for (std::size_t round = 0; idle < patience; ++round) {
    const Score before = search.best();
    const double hot = schedule.hot * kTemperatures[round % kTemperatures.size()];
    if (!Round(graph, search, rng).run(*this, hot)) return;
    idle = search.best() < before ? 0 : idle + 1;
  }
}

}  // namespace hone
