#include "learn/rewrite/rewrite_scene.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone {

void RewriteScene::set_edges(std::vector<std::pair<std::uint32_t, std::uint32_t>> edges,
                             std::span<const float> features) {
  const std::size_t width = edges.empty() ? 0 : features.size() / edges.size();
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(edges[i].second, edges[i].first); });
  edge_rows.clear();
  before.clear();
  after.clear();
  std::size_t next = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (; next < order.size() && edges[order[next]].second == node; ++next) {
      before.add(edges[order[next]].first);
      const auto row = features.subspan(order[next] * width, width);
      edge_rows.insert(edge_rows.end(), row.begin(), row.end());
    }
    before.end_list();
  }
  std::ranges::stable_sort(edges);
  next = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (; next < edges.size() && edges[next].first == node; ++next) after.add(edges[next].second);
    after.end_list();
  }
}

std::vector<double> chances_of(std::span<const float> logits) {
  const float most = *std::ranges::max_element(logits);
  std::vector<double> chances;
  double sum = 0;
  for (const float logit : logits) sum += chances.emplace_back(std::exp(static_cast<double>(logit - most)));
  for (double& chance : chances) chance /= sum;
  return chances;
}

}  // namespace hone
