#include "run/profile/correction.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::size_t kWeights = GraphFeatures::kCount + 1;
// How far weights are expected to be from zero against how far single graphs are from the line, squared.
constexpr double kRidge = 0.03, kRidgeOfConstant = 0.003;
constexpr int kReweightings = 10;
constexpr double kNearLine = 0.02;  // graphs nearer than this count fully

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
  // What a kernel costs besides its work, and how fast memory is, in order of magnitude: shares are then about 1 at
  // most.
  constexpr double kKernelSeconds = 10e-6, kBytesPerSecond = 10e9;
  GraphFeatures features{.sum_seconds = profile.frame_seconds};
  double bytes = 0;
  for (const ProfiledNode& node : profile.nodes) {
    const auto record = source.find(context, node.config);
    if (!record) continue;  // what cannot be timed alone is part of what the correction learns
    features.sum_seconds += record->seconds;
    bytes += node.activation_bytes;
  }
  const double sum = features.sum_seconds;
  if (sum <= 0) fail("none of the {} nodes has a timing under these conditions", profile.nodes.size());
  features.shares = {static_cast<double>(profile.nodes.size()) * kKernelSeconds / sum, bytes / kBytesPerSecond / sum,
                     1 - 1 / static_cast<double>(context.threads)};
  return features;
}

Correction Correction::fit(std::span<const MeasuredGraph> graphs) {
  Correction correction;
  for (const MeasuredGraph& graph : graphs)
    for (std::size_t i = 0; i < GraphFeatures::kCount; ++i)
      correction.taught_[i] = std::max(correction.taught_[i], graph.features.shares[i]);
  std::vector<double> importance(graphs.size(), 1);
  for (int pass = 0; pass < kReweightings && !graphs.empty(); ++pass) {
    std::array<Row, kWeights> matrix{};
    Row right{};
    for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
      const Row row = row_of(graphs[graph].features);
      const double target = std::log(graphs[graph].seconds / graphs[graph].features.sum_seconds);
      for (std::size_t i = 0; i < kWeights; ++i) {
        right[i] += importance[graph] * row[i] * target;
        for (std::size_t j = 0; j < kWeights; ++j) matrix[i][j] += importance[graph] * row[i] * row[j];
      }
    }
    for (std::size_t i = 0; i < kWeights; ++i) matrix[i][i] += i + 1 < kWeights ? kRidge : kRidgeOfConstant;
    correction.weights_ = solve(matrix, right);
    for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
      const double off = std::log(graphs[graph].seconds / correction.predict_seconds(graphs[graph].features));
      importance[graph] = kNearLine / std::max(std::fabs(off), kNearLine);
    }
  }
  return correction;
}

double Correction::predict_seconds(const GraphFeatures& features) const {
  GraphFeatures known = features;
  double trust = 1;
  for (std::size_t i = 0; i < GraphFeatures::kCount; ++i) {
    if (features.shares[i] <= taught_[i]) continue;
    known.shares[i] = taught_[i];
    trust = std::min(trust, taught_[i] / features.shares[i]);
  }
  const Row row = row_of(known);
  double exponent = 0;
  for (std::size_t i = 0; i < kWeights; ++i) exponent += weights_[i] * row[i];
  return features.sum_seconds * std::exp(trust * exponent);
}

}  // namespace hone
