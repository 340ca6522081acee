#include "profile/correction.h"

#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::size_t kWeights = GraphFeatures::kCount + 1;
constexpr double kRidge = 1e-3;  // of the mean square of a feature, per graph

using Row = std::array<double, kWeights>;

Row row_of(const GraphFeatures& features) {
  Row row{};
  std::copy(features.shares.begin(), features.shares.end(), row.begin());
  row.back() = 1;
  return row;
}

/// Solves a symmetric positive definite system by Gauss's elimination.
Row solve(std::array<Row, kWeights> matrix, Row right) {
  for (std::size_t i = 0; i < kWeights; ++i) {
    for (std::size_t below = i + 1; below < kWeights; ++below) {
      const double factor = matrix[below][i] / matrix[i][i];
      for (std::size_t j = i; j < kWeights; ++j) matrix[below][j] -= factor * matrix[i][j];
      right[below] -= factor * right[i];
    }
  }
  for (std::size_t i = kWeights; i-- > 0;) {
    for (std::size_t j = i + 1; j < kWeights; ++j) right[i] -= matrix[i][j] * right[j];
    right[i] /= matrix[i][i];
  }
  return right;
}

}  // namespace

GraphFeatures features_of(const GraphProfile& profile, const ProfileContext& context, const ProfileSource& source) {
  constexpr double kKernelSeconds = 1e-6, kBytesPerSecond = 10e9, kSmallKernel = 20e-6;
  GraphFeatures features{.sum_seconds = profile.frame_seconds};
  double small = 0, bytes = 0;
  for (const ProfiledNode& node : profile.nodes) {
    const auto record = source.find(context, node.config);
    if (!record) continue;  // what cannot be timed alone is part of what the correction learns
    features.sum_seconds += record->seconds;
    if (record->seconds < kSmallKernel) small += record->seconds;
    bytes += node.activation_bytes;
  }
  const double sum = features.sum_seconds;
  if (sum <= 0) fail("none of the {} nodes has a timing under these conditions", profile.nodes.size());
  const double threads = static_cast<double>(context.threads);
  features.shares = {static_cast<double>(profile.nodes.size()) * kKernelSeconds / sum, small / sum,
                     bytes / kBytesPerSecond / sum, 1 - 1 / threads};
  return features;
}

Correction Correction::fit(std::span<const MeasuredGraph> graphs) {
  Correction correction;
  if (graphs.empty()) return correction;
  std::array<Row, kWeights> matrix{};
  Row right{};
  for (const MeasuredGraph& graph : graphs) {
    const Row row = row_of(graph.features);
    const double target = std::log(graph.seconds / graph.features.sum_seconds);
    for (std::size_t i = 0; i < kWeights; ++i) {
      right[i] += row[i] * target;
      for (std::size_t j = 0; j < kWeights; ++j) matrix[i][j] += row[i] * row[j];
    }
  }
  for (std::size_t i = 0; i < kWeights; ++i) matrix[i][i] = matrix[i][i] * (1 + kRidge) + 1e-9;
  correction.weights_ = solve(matrix, right);
  return correction;
}

double Correction::predict_seconds(const GraphFeatures& features) const {
  const Row row = row_of(features);
  double exponent = 0;
  for (std::size_t i = 0; i < kWeights; ++i) exponent += weights_[i] * row[i];
  return features.sum_seconds * std::exp(exponent);
}

}  // namespace hone
