#include "plan/methods/spectral_places.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/distinct.h"

namespace hone {
namespace {

constexpr std::size_t kFewNodes = 48;
constexpr std::size_t kRoundsOfFew = 3000, kRounds = 12;
constexpr std::size_t kManyEnds = 64;  // a net with more says little about which two of its nodes belong together
constexpr double kLeastShrinking = 0.95;
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

FlatLists<std::uint32_t> nets_by_node(const Nets& nets) {
  std::vector<std::vector<std::uint32_t>> lists(nets.nodes);
  for (std::uint32_t net = 0; net < nets.ends.size(); ++net)
    for (const std::uint32_t node : nets.ends[net]) lists[node].push_back(net);
  return FlatLists<std::uint32_t>(lists);
}

/// Every node with its number among fewer, of which each stands for one or two.
struct Merger {
  std::vector<std::uint32_t> merged;  // by node
  std::size_t nodes = 0;
};

/// A node goes with the one among those still alone that it shares most with.
Merger merge_neighbours(const Nets& nets) {
  const FlatLists<std::uint32_t> nets_of = nets_by_node(nets);
  Merger merger{.merged = std::vector<std::uint32_t>(nets.nodes, kNobody)};
  std::vector<double> shared(nets.nodes);
  std::vector<std::uint32_t> met;
  for (std::uint32_t node = 0; node < nets.nodes; ++node) {
    if (merger.merged[node] != kNobody) continue;
    for (const std::uint32_t net : nets_of[node]) {
      if (nets.ends[net].size() > kManyEnds) continue;
      for (const std::uint32_t other : nets.ends[net]) {
        if (other == node || merger.merged[other] != kNobody) continue;
        if (shared[other] == 0) met.push_back(other);
        shared[other] += nets.weight[net] / static_cast<double>(nets.ends[net].size() - 1);
      }
    }
    const auto best = std::ranges::max_element(met, {}, [&](std::uint32_t other) { return shared[other]; });
    merger.merged[node] = static_cast<std::uint32_t>(merger.nodes);
    if (best != met.end()) merger.merged[*best] = merger.merged[node];
    ++merger.nodes;
    for (const std::uint32_t other : met) shared[other] = 0;
    met.clear();
  }
  return merger;
}

Nets merged_nets(const Nets& nets, const Merger& merger) {
  Nets merged{.nodes = merger.nodes};
  for (std::size_t net = 0; net < nets.ends.size(); ++net) {
    std::vector<std::uint32_t> ends;
    for (const std::uint32_t node : nets.ends[net]) ends.push_back(merger.merged[node]);
    ends = distinct(std::move(ends));
    if (ends.size() < 2) continue;
    for (const std::uint32_t node : ends) merged.ends.add(node);
    merged.ends.end_list();
    merged.weight.push_back(nets.weight[net]);
  }
  return merged;
}

/// Moves every node to the mean of its nets, which are at the mean of their nodes, again and again. That all come to
/// lie in one place is prevented by taking their mean away.
class Smoothing {
 public:
  explicit Smoothing(const Nets& nets) : nets_(nets), degree_(nets.nodes) {
    for (std::size_t net = 0; net < nets.ends.size(); ++net)
      for (const std::uint32_t node : nets.ends[net]) degree_[node] += share(net);
  }

  std::vector<double> smooth(std::vector<double> places, std::size_t rounds) const {
    for (; rounds > 0; --rounds) {
      std::vector<double> next(places.size());
      for (std::size_t net = 0; net < nets_.ends.size(); ++net) {
        double mean = 0;
        for (const std::uint32_t node : nets_.ends[net]) mean += places[node];
        mean /= static_cast<double>(nets_.ends[net].size());
        for (const std::uint32_t node : nets_.ends[net]) next[node] += share(net) * mean;
      }
      for (std::size_t node = 0; node < next.size(); ++node)
        next[node] = degree_[node] > 0 ? next[node] / degree_[node] : 0;
      places = centred(std::move(next));
    }
    return places;
  }

 private:
  double share(std::size_t net) const { return nets_.weight[net] / static_cast<double>(nets_.ends[net].size()); }

  std::vector<double> centred(std::vector<double> places) const {
    double sum = 0, squares = 0, all = 0;
    for (std::size_t node = 0; node < places.size(); ++node) {
      sum += degree_[node] * places[node];
      all += degree_[node];
    }
    if (all == 0) return places;
    for (std::size_t node = 0; node < places.size(); ++node) {
      if (degree_[node] > 0) places[node] -= sum / all;
      squares += degree_[node] * places[node] * places[node];
    }
    const double length = std::sqrt(squares / all);
    if (length > 0)
      for (double& place : places) place /= length;
    return places;
  }

  const Nets& nets_;
  std::vector<double> degree_;  // by node
};

}  // namespace

std::vector<double> spectral_places(const Nets& nets) {
  if (nets.nodes > kFewNodes) {
    const Merger merger = merge_neighbours(nets);
    if (static_cast<double>(merger.nodes) < kLeastShrinking * static_cast<double>(nets.nodes)) {
      const std::vector<double> merged = spectral_places(merged_nets(nets, merger));
      std::vector<double> places(nets.nodes);
      for (std::size_t node = 0; node < nets.nodes; ++node) places[node] = merged[merger.merged[node]];
      return Smoothing(nets).smooth(std::move(places), kRounds);
    }
  }
  std::vector<double> places(nets.nodes);
  std::iota(places.begin(), places.end(), 0.0);
  return Smoothing(nets).smooth(std::move(places), kRoundsOfFew);
}

}  // namespace hone
