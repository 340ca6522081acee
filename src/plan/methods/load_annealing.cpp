#include "plan/methods/load_annealing.h"

#include <algorithm>
#include <cmath>

#include "plan/methods/load_state.h"
#include "plan/methods/placement_moves.h"

namespace hone {
namespace {

class SplitAnnealing {
 public:
  SplitAnnealing(const LoadGraph& graph, Split start, Rng& rng)
      : state_(graph, start.device_of),
        moves_(graph, graph.device_list(LoadGraph::Hosts::all)),
        rng_(rng),
        best_{std::move(start.device_of), state_.largest_load()},
        best_excess_(state_.excess_bytes()) {
    double room = 0;
    for (const double capacity : graph.capacity_bytes)
      if (std::isfinite(capacity)) room = std::max(room, capacity);
    // A device full twice over is as bad as one with six times the load.
    seconds_per_byte_ = room > 0 ? 5 * best_.value / room : 0;
  }

  Split run(const AnnealingSchedule& schedule) {
    constexpr std::uint64_t kMovesATemperature = 256;
    const double hot = schedule.hot * best_.value, cooling = std::log(schedule.cold / schedule.hot);
    energy_ = energy();
    for (std::uint64_t done = 0; done < schedule.moves; done += kMovesATemperature) {
      const double temperature =
          hot * std::exp(cooling * static_cast<double>(done) / static_cast<double>(schedule.moves));
      for (std::uint64_t i = 0; i < kMovesATemperature; ++i) step(temperature);
    }
    return std::move(best_);
  }

 private:
  double energy() const { return state_.smooth_load() + seconds_per_byte_ * state_.excess_bytes(); }

  void step(double temperature) {
    const std::span<const PlacementMoves::Change> changes = moves_.propose(state_.device_of(), rng_);
    if (changes.empty()) return;
    for (const PlacementMoves::Change& change : changes) state_.move(change.choice, change.to);
    const double after = energy();
    if (after <= energy_ || rng_.uniform() < std::exp((energy_ - after) / temperature)) {
      energy_ = after;
      keep_if_better();
    } else {
      for (const PlacementMoves::Change& change : changes) state_.move(change.choice, change.from);
    }
  }

  void keep_if_better() {
    const double load = state_.largest_load(), excess = state_.excess_bytes();
    // By more than sums in another order can differ.
    if (excess > best_excess_ || (excess == best_excess_ && load >= best_.value * (1 - 1e-12))) return;
    best_ = {state_.device_of(), load};
    best_excess_ = excess;
  }

  LoadState state_;
  PlacementMoves moves_;
  Rng& rng_;
  Split best_;
  double best_excess_;
  double seconds_per_byte_ = 0, energy_ = 0;
};

}  // namespace

Split anneal_loads(const LoadGraph& graph, Split start, const AnnealingSchedule& schedule, Rng& rng) {
  return SplitAnnealing(graph, std::move(start), rng).run(schedule);
}

}  // namespace hone
