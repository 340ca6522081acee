#include "plan/methods/placement_moves.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// Of sixteen draws so many are clusters and swaps; of eight targets one is any device.
constexpr std::uint64_t kDraws = 16, kClusters = 6, kSwaps = 1, kTargets = 8;

}  // namespace

std::span<const PlacementMoves::Change> PlacementMoves::propose(const std::vector<std::uint32_t>& device_of, Rng& rng) {
  changes_.clear();
  const auto choice = static_cast<std::uint32_t>(rng.below(graph_.size()));
  const std::uint32_t from = device_of[choice], to = draw_target(device_of, choice, rng);
  if (to == from || !add(choice, from, to)) return {};
  const std::uint64_t kind = rng.below(kDraws);
  if (kind < kClusters) {
    const double most = std::log(static_cast<double>(graph_.size()) / 2 + 1);
    grow(device_of, std::max<std::size_t>(2, static_cast<std::size_t>(std::exp(most * rng.uniform()))));
  } else if (kind < kClusters + kSwaps) {
    const auto other = static_cast<std::uint32_t>(rng.below(graph_.size()));
    if (device_of[other] == to) add(other, to, from);
  }
  return changes_;
}

bool PlacementMoves::add(std::uint32_t choice, std::uint32_t from, std::uint32_t to) {
  if (!std::isfinite(graph_.seconds_on(choice, to))) return false;
  changes_.push_back({choice, from, to});
  return true;
}

/// Where a neighbour is, or anywhere.
std::uint32_t PlacementMoves::draw_target(const std::vector<std::uint32_t>& device_of, std::uint32_t choice,
                                          Rng& rng) const {
  const std::span<const std::uint32_t> nets = graph_.nets_of[choice];
  if (!nets.empty() && rng.below(kTargets) != 0) {
    const std::span<const std::uint32_t> ends = graph_.ends[nets[rng.below(nets.size())]];
    const std::uint32_t device = device_of[ends[rng.below(ends.size())]];
    if (device != device_of[choice] || rng.below(4) == 0) return device;
  }
  return targets_[rng.below(targets_.size())];
}

/// Adds neighbours on the same device, breadth first, up to `size` choices.
void PlacementMoves::grow(const std::vector<std::uint32_t>& device_of, std::size_t size) {
  const auto [first, from, to] = changes_.front();
  seen_[first] = ++draw_;
  for (std::size_t next = 0; next < changes_.size() && changes_.size() < size; ++next)
    for (const std::uint32_t net : graph_.nets_of[changes_[next].choice])
      for (const std::uint32_t choice : graph_.ends[net]) {
        if (device_of[choice] != from || seen_[choice] == draw_ || changes_.size() >= size) continue;
        seen_[choice] = draw_;
        add(choice, from, to);
      }
}

}  // namespace hone
