#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
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

/// Reads the contest's JSON, plain or packed with gzip.
ShardingProblem read_iopddl(const std::filesystem::path& path);
ShardingProblem parse_iopddl(std::string_view text, const std::string& file);

}  // namespace hone
