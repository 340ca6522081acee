#include "learn/train/hdp_grouper.h"

#include <algorithm>

#include "learn/policy/features.h"
#include "learn/policy/reference_order.h"

namespace hone::learn {
namespace {

constexpr std::int64_t kGrouperWidth = 64;
constexpr std::int64_t kSums = 3;  // operations, seconds, bytes

torch::Tensor feature_tensor(const GraphView& graph) {
  const Features features = features_of(graph, reference_order(graph).places);
  return torch::tensor(features.rows).view({static_cast<std::int64_t>(features.operations), -1});
}

}  // namespace

HdpGrouper::HdpGrouper(const GraphView& graph, std::int64_t groups, DrawnWeights& weights)
    : graph_(graph), groups_(groups), weights_(weights), features_(feature_tensor(graph)) {
  weights.add("grouper_hidden", features_.size(1), kGrouperWidth);
  weights.add("grouper_group", kGrouperWidth, groups);
}

torch::Tensor HdpGrouper::log_chances() const {
  const torch::Tensor hidden = torch::relu(weights_.map("grouper_hidden", features_));
  return torch::log_softmax(weights_.map("grouper_group", hidden), 1);
}

std::int64_t HdpGrouper::embedding_width() const {
  return static_cast<std::int64_t>(kOperationClasses) + kSums + 2 * groups_;
}

torch::Tensor HdpGrouper::embedding(std::span<const std::int64_t> group_of) const {
  torch::Tensor embedding = torch::zeros({groups_, embedding_width()});
  auto cells = embedding.accessor<float, 2>();
  constexpr auto kClasses = static_cast<std::int64_t>(kOperationClasses);
  const std::int64_t to = kClasses + kSums, from = to + groups_;
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    const std::int64_t group = group_of[i];
    const Operation& operation = graph_.problem().workload.operation(OperationId(i));
    cells[group][static_cast<std::int64_t>(operation.operation_class)] += 1;
    cells[group][kClasses] += 1;
    cells[group][kClasses + 1] += static_cast<float>(graph_.least_seconds(i) * 1e3);
    cells[group][kClasses + 2] += static_cast<float>(graph_.made_bytes(i) * 1e-6);
    for (const std::uint32_t reader : graph_.after(i)) {
      const auto bytes = static_cast<float>(graph_.made_bytes(i) * 1e-6);
      cells[group][to + group_of[reader]] += bytes;
      cells[group_of[reader]][from + group] += bytes;
    }
  }
  // Each column by its largest entry, so that graphs of all sizes look alike.
  return embedding / embedding.amax({0}, true).clamp_min(1e-9);
}

}  // namespace hone::learn
