#pragma once

#include "learn/policy/features.h"

namespace hone {

/// Names what the columns of `GeneFeatures` mean. A policy that was trained on others is refused.
inline constexpr std::string_view kGeneFeatureSchema = "hone-genes-1";
inline constexpr std::size_t kLivenessFeatures = 11;
inline constexpr std::size_t kGeneFeatures = kFeatures + kLivenessFeatures;

/// Two places of an operation in the whole graph, each from -0.5 to 0.5: in the reference order, and among all weights
/// and inputs, in the order in which they are first read. The latter is that of the weights that it reads, or else of
/// the operations before it; so a layer, its gradient and its update have the same.
inline constexpr std::size_t kGenePlaces = 2;

/// What REGAL's networks see: all of `Features`, the two places, and for every operation how much is held when it runs
/// in the reference order, how far that order has come by then and for how long its results are held. Messages carry
/// what is near; these say where in the whole graph an operation is.
struct GeneFeatures {
  std::vector<float> rows;       // operations * kGeneFeatures
  std::vector<float> edge_rows;  // edges * kEdgeFeatures
  std::vector<float> places;     // operations * kGenePlaces
  float weighted = 0;  // share of weights and inputs in the bytes that the reference order needs, from -1 to 1
};

/// `due` is the reference order, by operation.
GeneFeatures gene_features_of(const GraphView& graph, std::span<const float> due);

}  // namespace hone
