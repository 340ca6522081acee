#include "plan/sharding/usage_times.h"

#include <algorithm>
#include <map>

namespace hone {
namespace {

/// All times at which something begins or ends; rank i stands for the time from the i-th to the next.
std::vector<std::int64_t> times_of(const ShardingProblem& problem) {
  std::vector<std::int64_t> times;
  for (const ShardingProblem::Node& node : problem.nodes) {
    if (node.begin >= node.end) continue;
    times.push_back(node.begin);
    times.push_back(node.end);
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Pieces of all members over all times, and the capacity that what is used in any case leaves.
UsageTimes over_all_times(const Reduction& reduction) {
  const ShardingProblem& problem = reduction.problem();
  const std::vector<std::int64_t> times = times_of(problem);
  const auto rank = [&](std::int64_t time) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(times, time) - times.begin());
  };
  UsageTimes result{.pieces = {}, .capacity = std::vector<double>(times.size(), 0.0)};
  for (std::size_t i = 0; i < reduction.variables().size(); ++i) {
    const Reduction::Variable& variable = reduction.variables()[i];
    for (const Reduction::Member& member : variable.members) {
      const ShardingProblem::Node& node = problem.nodes[member.node];
      if (node.begin >= node.end) continue;
      UsageTimes::Piece piece{.variable = i, .begin = rank(node.begin), .end = rank(node.end)};
      for (std::size_t k = 0; k < variable.labels(); ++k) piece.usage.push_back(reduction.usage(member, k));
      const double least = *std::ranges::min_element(piece.usage);
      result.capacity[piece.begin] -= least;
      result.capacity[piece.end] += least;
      for (double& usage : piece.usage) usage -= least;
      if (*std::ranges::max_element(piece.usage) > 0) result.pieces.push_back(std::move(piece));
    }
  }
  double left = static_cast<double>(problem.usage_limit);
  for (double& capacity : result.capacity) capacity = left += capacity;
  return result;
}

/// Which ranks matter: some choice can exceed their capacity, and no rank beside them has all the pieces they have and
/// no more capacity.
std::vector<char> ranks_that_matter(const UsageTimes& all) {
  const std::size_t count = all.capacity.size();
  std::vector<double> most(count + 1, 0.0);
  std::vector<char> begins(count + 1, 0), ends(count + 1, 0), matters(count, 1);
  for (const UsageTimes::Piece& piece : all.pieces) {
    const double highest = *std::ranges::max_element(piece.usage);
    most[piece.begin] += highest;
    most[piece.end] -= highest;
    begins[piece.begin] = ends[piece.end] = 1;
  }
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += most[i];
    const bool exceeds = sum > all.capacity[i];
    const bool within_next = i + 1 < count && ends[i + 1] == 0 && all.capacity[i] >= all.capacity[i + 1];
    const bool within_last = i > 0 && begins[i] == 0 && matters[i - 1] != 0 && all.capacity[i] >= all.capacity[i - 1];
    if (!exceeds || within_next || within_last) matters[i] = 0;
  }
  return matters;
}

/// Pieces of one variable over the same times become one.
std::vector<UsageTimes::Piece> merged(std::vector<UsageTimes::Piece> pieces) {
  std::vector<UsageTimes::Piece> result;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> place_of;
  for (UsageTimes::Piece& piece : pieces) {
    if (!result.empty() && result.back().variable != piece.variable) place_of.clear();
    const auto [found, is_new] = place_of.emplace(std::pair(piece.begin, piece.end), result.size());
    if (is_new) {
      result.push_back(std::move(piece));
      continue;
    }
    for (std::size_t k = 0; k < piece.usage.size(); ++k) result[found->second].usage[k] += piece.usage[k];
  }
  return result;
}

}  // namespace

UsageTimes usage_times(const Reduction& reduction) {
  UsageTimes all = over_all_times(reduction);
  const std::vector<char> matters = ranks_that_matter(all);
  std::vector<std::uint32_t> new_rank(matters.size() + 1, 0);
  UsageTimes result;
  for (std::size_t i = 0; i < matters.size(); ++i) {
    new_rank[i] = static_cast<std::uint32_t>(result.capacity.size());
    if (matters[i] != 0) result.capacity.push_back(all.capacity[i]);
  }
  new_rank.back() = static_cast<std::uint32_t>(result.capacity.size());
  for (UsageTimes::Piece& piece : all.pieces) {
    piece.begin = new_rank[piece.begin];
    piece.end = new_rank[piece.end];
  }
  std::erase_if(all.pieces, [](const UsageTimes::Piece& piece) { return piece.begin >= piece.end; });
  result.pieces = merged(std::move(all.pieces));
  return result;
}

}  // namespace hone
