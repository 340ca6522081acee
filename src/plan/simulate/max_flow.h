#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace hone {

/// A network whose cheapest cut is wanted, by Dinic's algorithm.
class MaxFlow {
 public:
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max() / 4;

  explicit MaxFlow(std::size_t nodes) : first_(nodes, kNone) {}

  void add_edge(std::uint32_t from, std::uint32_t to, std::int64_t capacity);
  /// What the cheapest cut between two nodes costs.
  std::int64_t solve(std::uint32_t source, std::uint32_t sink);
  /// After `solve`, by node: whether the source can still reach it. These form the smallest of all cheapest cuts.
  std::vector<char> source_side() const;
  /// After `solve`, by node: whether it cannot reach the sink any more. These form the largest of all cheapest cuts.
  std::vector<char> off_sink_side() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Edge {  // edges come in pairs: i and i ^ 1 are the two directions
    std::uint32_t to = 0, next = 0;
    std::int64_t capacity = 0;
  };

  bool label();
  std::int64_t advance();

  std::vector<std::uint32_t> first_;  // by node
  std::vector<Edge> edges_;
  std::uint32_t source_ = 0, sink_ = 0;
  std::vector<std::uint32_t> level_, current_, path_;
};

}  // namespace hone
