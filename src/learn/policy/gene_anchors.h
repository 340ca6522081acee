#pragma once

#include <span>
#include <vector>

#include "learn/policy/gene_choice.h"
#include "learn/policy/gene_features.h"

namespace hone {

/// The array (parts, kinds, terms) of a policy that speaks about all operations of a graph at once, for every kind of
/// gene: how far the means of genes move from 0.5 along each of an operation's places; how fast chances of other means
/// fall with the distance from there; and what is added to the outputs for each spread and bias. What is drawn for one
/// operation hardly matters to a search; what these few numbers say does, so that they can be learned from few
/// searches. They are given for the mean graph, and what is added to them the more of a graph's bytes are weights.
inline constexpr const char* kGeneAnchors = "anchors";
inline constexpr std::size_t kAnchorParts = 2;
inline constexpr std::size_t kAnchorTerms = kGenePlaces + 1 + kGeneSpreads.size() + kGeneBiases.size();

/// What the array is at first: means of 0.5, and the spread and bias of the plain genetic algorithm.
std::vector<float> first_anchors();

/// What a 1 in the array means: a slope, a logarithm or an output.
float unit_of_anchor(std::size_t term);
/// By how much training tries out others: the deviation of what it adds to every number of the array.
inline constexpr float kAnchorTrial = 0.1F;

/// Adds what anchors say to outputs of a network, a row a node.
void add_anchors(std::span<float> rows, std::span<const float> anchors, const GeneFeatures& features);

}  // namespace hone
