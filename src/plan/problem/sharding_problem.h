#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone {

/// A problem of the ASPLOS 2025 contest on intra-operator parallelism: every node picks one strategy; cost is that of
/// the strategies and of the pairs they make on edges; at no time may the usage of the nodes alive exceed the limit.
struct ShardingProblem {
  struct Strategy {
    std::int64_t cost = 0;
    std::int64_t usage = 0;
  };
  struct Node {
    std::int64_t begin = 0, end = 0;  // alive in [begin, end)
    std::vector<Strategy> strategies;
  };
  struct Edge {
    std::uint32_t first = 0, second = 0;
    std::vector<std::int64_t> costs;  // row-major over the strategies of the two
  };

  std::string name;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::int64_t usage_limit = 0;
};

/// What is wrong with a choice of strategies, as one sentence that names the node; nothing when every node has one of
/// its own. Whether usage stays within the limit is a matter of cost.
std::optional<std::string> check(const ShardingProblem& problem, std::span<const std::uint32_t> strategy_of);

/// What a choice of strategies comes to.
struct ShardingTotals {
  double cost = 0;
  double peak_usage = 0;

  friend bool operator==(const ShardingTotals&, const ShardingTotals&) = default;
};

/// Adds everything up as the contest defines it, time by time and edge by edge; shares nothing with any solver.
ShardingTotals totals(const ShardingProblem& problem, std::span<const std::uint32_t> strategy_of);

}  // namespace hone
