#include "plan/simulate/max_flow.h"

#include <algorithm>

namespace hone {

void MaxFlow::add_edge(std::uint32_t from, std::uint32_t to, std::int64_t capacity) {
  edges_.push_back({to, first_[from], capacity});
  first_[from] = static_cast<std::uint32_t>(edges_.size() - 1);
  edges_.push_back({from, first_[to], 0});
  first_[to] = static_cast<std::uint32_t>(edges_.size() - 1);
}

std::int64_t MaxFlow::solve(std::uint32_t source, std::uint32_t sink) {
  source_ = source;
  sink_ = sink;
  std::int64_t flow = 0;
  while (label()) {
    current_ = first_;
    while (const std::int64_t more = advance()) flow += more;
  }
  return flow;
}

/// Distances from the source along edges with room; whether the sink can be reached.
bool MaxFlow::label() {
  level_.assign(first_.size(), kNone);
  level_[source_] = 0;
  std::vector<std::uint32_t> queue = {source_};
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (std::uint32_t edge = first_[queue[at]]; edge != kNone; edge = edges_[edge].next)
      if (edges_[edge].capacity > 0 && level_[edges_[edge].to] == kNone) {
        level_[edges_[edge].to] = level_[queue[at]] + 1;
        queue.push_back(edges_[edge].to);
      }
  return level_[sink_] != kNone;
}

/// Sends what one path can carry, each step one farther from the source; 0 when there is no such path any more.
std::int64_t MaxFlow::advance() {
  path_.clear();
  for (std::uint32_t node = source_; node != sink_;) {
    std::uint32_t& edge = current_[node];
    while (edge != kNone && (edges_[edge].capacity == 0 || level_[edges_[edge].to] != level_[node] + 1))
      edge = edges_[edge].next;
    if (edge != kNone) {
      path_.push_back(edge);
      node = edges_[edge].to;
      continue;
    }
    if (path_.empty()) return 0;
    node = edges_[path_.back() ^ 1].to;  // a dead end: back, and past the edge that led here
    path_.pop_back();
    current_[node] = edges_[current_[node]].next;
  }
  std::int64_t most = kUnlimited;
  for (const std::uint32_t edge : path_) most = std::min(most, edges_[edge].capacity);
  for (const std::uint32_t edge : path_) {
    edges_[edge].capacity -= most;
    edges_[edge ^ 1].capacity += most;
  }
  return most;
}

std::vector<char> MaxFlow::source_side() const {
  std::vector<char> side(first_.size());
  for (std::size_t node = 0; node < side.size(); ++node) side[node] = level_[node] != kNone ? 1 : 0;
  return side;
}

std::vector<char> MaxFlow::off_sink_side() const {
  std::vector<char> side(first_.size(), 1);
  side[sink_] = 0;
  std::vector<std::uint32_t> queue = {sink_};
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (std::uint32_t edge = first_[queue[at]]; edge != kNone; edge = edges_[edge].next)
      if (edges_[edge ^ 1].capacity > 0 && side[edges_[edge].to] != 0) {
        side[edges_[edge].to] = 0;
        queue.push_back(edges_[edge].to);
      }
  return side;
}

}  // namespace hone
